// The oracle of GEMM: every semantics of tilewright/gemm.h, summed in double, rounded once.
#pragma once

#include "core/gemm_row.h"

namespace tilewright {

extern const GemmRow kGemmCpuReference;

}  // namespace tilewright
