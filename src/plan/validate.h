// The checks that every kernel relies on: what is wrong with a problem whatever the machine.
#pragma once

#include "tilewright/gemm.h"

namespace tilewright {

// Everything but C's layout. Ok means: sizes are not negative, types are GEMM types, orders and
// alignments make sense, leading dimensions hold a line, no offset of A, B or D in bytes overflows
// 64 bits, and no two matrices of D's batch share an element.
Status validate(const GemmProblem& problem);

// C's order, ld, batch stride and alignment, which count only where beta is not 0: known at run().
Status validate_c(const GemmProblem& problem);

// M, N or batch is 0: there is nothing to compute, and nothing to launch.
inline bool is_empty(const GemmProblem& problem) {
  return problem.m == 0 || problem.n == 0 || problem.batch == 0;
}

}  // namespace tilewright
