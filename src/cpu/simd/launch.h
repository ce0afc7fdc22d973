// Launches of the two rows, and what they share.
#pragma once

#include <cstdint>

#include "core/gemm_row.h"
#include "cpu/simd/kernels.h"
#include "cpu/simd/matrix.h"

namespace tilewright::simd {

Status packed_launch(const GemmLaunch& launch);
Status thin_launch(const GemmLaunch& launch);

// D = beta * C, where neither A nor B is read.
void scale_c(const Product& product, const SimdKernels& kernels);

Status no_memory(std::int64_t floats);

}  // namespace tilewright::simd
