// v2, v3 and v4: fp16 or bf16 in, the same or fp32 out.
#include "kernels/gemm/ladder/v2_wmma.cuh"
#include "kernels/gemm/ladder/v3_async.cuh"
#include "kernels/gemm/ladder/v4_swizzle.cuh"
#include "kernels/gemm/launch.cuh"
#include "kernels/gemm/registry.h"

namespace tilewright::kernels {

template <>
Status launch_gemm_v2<hw::kTarget>(const GemmLaunch& launch) {
  using W = tile::WmmaTile;
  return visit_tensor_types(launch.problem, [&]<class In, class Out>(TypeTag<In>, TypeTag<Out>) {
    return launch_grid(gemm_v2_wmma<In, Out>, params_of<In, Out>(launch, W::kBlockM, W::kBlockN),
                       W::kThreads, W::kStageBytes, launch, "gemm-cuda-ladder-v2");
  });
}

template <>
Status launch_gemm_v3<hw::kTarget>(const GemmLaunch& launch) {
  using W = tile::WmmaTile;
  return visit_tensor_types(launch.problem, [&]<class In, class Out>(TypeTag<In>, TypeTag<Out>) {
    return launch_grid(gemm_v3_async<In, Out>, params_of<In, Out>(launch, W::kBlockM, W::kBlockN),
                       W::kThreads, 2 * W::kStageBytes, launch, "gemm-cuda-ladder-v3");
  });
}

template <>
Status launch_gemm_v4<hw::kTarget>(const GemmLaunch& launch) {
  return visit_tensor_types(launch.problem, [&]<class In, class Out>(TypeTag<In>, TypeTag<Out>) {
    const auto params = params_of<In, Out>(launch, V4::kBlockM, V4::kBlockN);
    const auto kernel = launch.problem.b.order == Order::kRowMajor
                            ? gemm_v4_swizzle<In, Out, Order::kRowMajor>
                            : gemm_v4_swizzle<In, Out, Order::kColMajor>;
    return launch_grid(kernel, params, V4::kThreads, V4::kSharedBytes, launch,
                       "gemm-cuda-ladder-v4");
  });
}

}  // namespace tilewright::kernels
