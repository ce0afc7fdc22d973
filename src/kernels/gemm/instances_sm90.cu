// Kernels for Hopper alone: TMA and wgmma.
#include "hw/tensor_map.h"
#include "kernels/gemm/launch.cuh"
#include "kernels/gemm/registry.h"
#include "kernels/gemm/sm90_ring.cuh"

namespace tilewright::kernels {
namespace {

// An operand whose lines run along K, in boxes of `rows` lines by kBlockK, swizzled by 128 bytes.
template <class T>
Result<hw::TensorMap> map_of(const Operand& operand, const void* data, std::int64_t lines,
                             std::int64_t k, std::int64_t batch, int rows) {
  return hw::encode_tensor_map(
      {.type = std::is_same_v<T, hw::F16> ? hw::TensorType::kF16 : hw::TensorType::kBF16,
       .rank = 3,
       .base = data,
       .extents = {k, lines, batch},
       .strides_bytes = {operand.ld * 2, batch == 1 ? operand.ld * 2 : operand.batch_stride * 2},
       .box = {Sm90Ring::kBlockK, rows, 1},
       .swizzle = hw::TensorSwizzle::k128});
}

}  // namespace

template <>
Status launch_gemm_sm90_ring<hw::kTarget>(const GemmLaunch& launch) {
  using R = Sm90Ring;
  return visit_tensor_types(launch.problem, [&]<class In, class Out>(TypeTag<In>, TypeTag<Out>) {
    const GemmProblem& problem = launch.problem;
    Sm90RingParams<In, Out> params = {
        params_of<In, Out>(launch, R::kCluster * R::kBlockM, R::kBlockN), {}, {}};
    if (const std::int64_t k = params.gemm.k; k > 0) {
      const auto a = map_of<In>(problem.a, launch.args.a, problem.m, k, problem.batch, R::kBlockM);
      if (!a) return a.status();
      const auto b = map_of<In>(problem.b, launch.args.b, problem.n, k, problem.batch, R::kPartB);
      if (!b) return b.status();
      params.a = *a;
      params.b = *b;
    }
    return hw::launch(gemm_sm90_ring<In, Out>, params,
                      {.blocks = params.gemm.grid.count() * R::kCluster,
                       .threads = R::kThreads,
                       .shared_bytes = R::kSharedBytes,
                       .cluster = R::kCluster},
                      context_of(launch, "gemm-sm90-tma-wgmma-128x128"));
  });
}

}  // namespace tilewright::kernels
