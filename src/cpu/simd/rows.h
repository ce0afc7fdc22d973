// The GEMM rows of the CPU's vector units, in the order they are tried.
#pragma once

#include <span>

#include "core/gemm_row.h"

namespace tilewright {

std::span<const GemmRow> gemm_simd_rows();

}  // namespace tilewright
