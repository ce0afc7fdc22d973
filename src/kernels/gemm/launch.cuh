// From a checked call to a launch: types become template arguments, operands become strides.
#pragma once

#include "core/gemm_row.h"
#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/launch.h"
#include "layout/raster.h"
#include "tile/gemm_params.h"

namespace tilewright::kernels::inline TW_TARGET {

template <class T>
struct TypeTag {
  using type = T;
};

// Calls visit(TypeTag<T>{}) with the element type of `type`, which the row has accepted.
template <class Visit>
Status visit_16_bit(DType type, Visit visit) {
  return type == DType::kF16 ? visit(TypeTag<hw::F16>{}) : visit(TypeTag<hw::BF16>{});
}
template <class Visit>
Status visit_float(DType type, Visit visit) {
  return type == DType::kF32 ? visit(TypeTag<float>{}) : visit_16_bit(type, visit);
}

inline tile::Strides strides_of(const Operand& operand) {
  return operand.order == Order::kRowMajor ? tile::Strides{operand.ld, 1, operand.batch_stride}
                                           : tile::Strides{1, operand.ld, operand.batch_stride};
}

template <class In, class Out>
tile::GemmParams<In, Out> params_of(const GemmLaunch& launch, int tile_m, int tile_n) {
  const GemmProblem& p = launch.problem;
  const GemmArgs& args = launch.args;
  const bool no_product = args.alpha == 0 || p.k == 0;
  return {.a = {static_cast<const In*>(args.a)},
          .b = {static_cast<const In*>(args.b)},
          .c = {args.beta == 0 ? nullptr : static_cast<const Out*>(args.c)},
          .d = {static_cast<Out*>(args.d)},
          .m = p.m,
          .n = p.n,
          .k = no_product ? 0 : p.k,
          .a_strides = strides_of(p.a),
          .b_strides = strides_of(p.b),
          .c_strides = strides_of(p.c),
          .d_strides = strides_of(p.d),
          .alpha = no_product ? 0 : args.alpha,
          .beta = args.beta,
          .grid = {static_cast<std::uint32_t>(layout::tiles_of(p.m, tile_m)),
                   static_cast<std::uint32_t>(layout::tiles_of(p.n, tile_n)),
                   static_cast<std::uint32_t>(p.batch)}};
}

// Calls visit(TypeTag<In>, TypeTag<Out>) with Out being In or fp32.
template <class Visit>
Status visit_tensor_types(const GemmProblem& problem, Visit visit) {
  return visit_16_bit(problem.a.type, [&]<class In>(TypeTag<In> in) {
    return problem.d.type == DType::kF32 ? visit(in, TypeTag<float>{}) : visit(in, in);
  });
}

// `name` is the row's, for sentences.
inline hw::LaunchContext context_of(const GemmLaunch& launch, const char* name) {
  return {.name = name, .device = launch.device, .stream = launch.stream, .memory = launch.memory};
}

// One block a tile.
template <class Params>
Status launch_grid(void (*kernel)(Params), const Params& params, int threads, int shared_bytes,
                   const GemmLaunch& launch, const char* name) {
  return hw::launch(
      kernel, params,
      {.blocks = params.grid.count(), .threads = threads, .shared_bytes = shared_bytes},
      context_of(launch, name));
}

}  // namespace tilewright::kernels::inline TW_TARGET
