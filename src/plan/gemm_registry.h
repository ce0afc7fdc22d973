// Every GEMM kernel of the library in the order they are tried: CUDA rows, the CPU's fast rows, the
// CPU reference last.
#pragma once

#include <span>

#include "core/gemm_row.h"

namespace tilewright {

using GemmRows = std::span<const GemmRow* const>;

GemmRows gemm_rows();

}  // namespace tilewright
