// v0, v1 and the oracle, for every type they take.
#include "kernels/gemm/ladder/v0_naive.cuh"
#include "kernels/gemm/ladder/v1_tiled.cuh"
#include "kernels/gemm/launch.cuh"
#include "kernels/gemm/reference.cuh"
#include "kernels/gemm/registry.h"

namespace tilewright::kernels {

template <>
Status launch_gemm_v0<hw::kTarget>(const GemmLaunch& launch) {
  return visit_float(launch.problem.a.type, [&]<class In>(TypeTag<In>) {
    return visit_float(launch.problem.d.type, [&]<class Out>(TypeTag<Out>) {
      return launch_grid(gemm_v0_naive<In, Out>, params_of<In, Out>(launch, kV0Rows, kV0Columns),
                         kV0Rows * kV0Columns, 0, launch, "gemm-cuda-ladder-v0");
    });
  });
}

template <>
Status launch_gemm_v1<hw::kTarget>(const GemmLaunch& launch) {
  return visit_float(launch.problem.a.type, [&]<class In>(TypeTag<In>) {
    const auto with_output = [&]<class Out>(TypeTag<Out>) {
      return launch_grid(gemm_v1_tiled<In, Out>, params_of<In, Out>(launch, V1::kTile, V1::kTile),
                         V1::kThreads, V1::kSharedBytes, launch, "gemm-cuda-ladder-v1");
    };
    return launch.problem.d.type == launch.problem.a.type ? with_output(TypeTag<In>{})
                                                          : with_output(TypeTag<float>{});
  });
}

template <>
Status launch_gemm_reference<hw::kTarget>(const GemmLaunch& launch) {
  return visit_float(launch.problem.a.type, [&]<class In>(TypeTag<In>) {
    return visit_float(launch.problem.d.type, [&]<class Out>(TypeTag<Out>) {
      return launch_grid(gemm_reference<In, Out>,
                         params_of<In, Out>(launch, kReferenceTile, kReferenceTile),
                         kReferenceThreads, kReferenceSharedBytes, launch, "gemm-cuda-reference");
    });
  });
}

}  // namespace tilewright::kernels
