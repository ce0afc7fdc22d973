// The CUDA rows of the GEMM registry, fastest first, the oracle last. The table is plain data that
// builds without a toolkit, so that a choice can be explained for a card on a machine that has
// none.
#pragma once

#include <span>

#include "core/gemm_row.h"
#include "core/target.h"

namespace tilewright::kernels {

std::span<const GemmRow> gemm_cuda_rows();

// One a row, for the card and for the simulator, in the files that instantiate it.
template <Target>
Status launch_gemm_v0(const GemmLaunch& launch);
template <Target>
Status launch_gemm_v1(const GemmLaunch& launch);
template <Target>
Status launch_gemm_v2(const GemmLaunch& launch);
template <Target>
Status launch_gemm_v3(const GemmLaunch& launch);
template <Target>
Status launch_gemm_v4(const GemmLaunch& launch);
template <Target>
Status launch_gemm_sm90_ring(const GemmLaunch& launch);
template <Target>
Status launch_gemm_reference(const GemmLaunch& launch);

}  // namespace tilewright::kernels
