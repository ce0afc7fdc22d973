// A problem in a few words, the same in every table.
#pragma once

#include <string>

#include "tilewright/gemm.h"

namespace tilewright::measure {

// BLAS letters: the first n where A is [M,K] row-major (t where it is column-major), the second n
// where B is [K,N] row-major, t where it is column-major, that is [N,K]. nt is the default; a
// column-major D is told by a last letter, "nt-dcol".
std::string layout_of(const GemmProblem& problem);

// "4096x4096x64 f16", and what departs from the default after it: output type, layout, batch,
// leading dimensions.
std::string label_of(const GemmProblem& problem);

}  // namespace tilewright::measure
