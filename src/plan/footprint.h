// Where a matrix lies in memory, seen without its order: lines of consecutive elements, ld apart.
#pragma once

#include <cstdint>

#include "tilewright/gemm.h"

namespace tilewright {

struct MatrixShape {
  std::int64_t rows = 0, cols = 0;
};

inline MatrixShape shape_of_a(const GemmProblem& p) {
  return {p.m, p.k};
}
inline MatrixShape shape_of_b(const GemmProblem& p) {
  return {p.k, p.n};
}
inline MatrixShape shape_of_d(const GemmProblem& p) {
  return {p.m, p.n};
}  // and of C

struct Footprint {
  std::int64_t lines = 0;  // rows of a row-major matrix, columns of a column-major one
  std::int64_t line = 0;   // elements in one of them
};

inline Footprint footprint(Order order, MatrixShape shape) {
  return order == Order::kRowMajor ? Footprint{shape.rows, shape.cols}
                                   : Footprint{shape.cols, shape.rows};
}

// Elements from the first to one past the last of a matrix that is not empty. Only for operands
// that passed the layout check: nothing overflows then.
inline std::int64_t span_elements(const Operand& operand, MatrixShape shape) {
  const Footprint f = footprint(operand.order, shape);
  return (f.lines - 1) * operand.ld + f.line;
}

// The same for the whole batch, in bytes.
inline std::int64_t span_bytes(const Operand& operand, MatrixShape shape, std::int64_t batch) {
  return bytes_of(operand.type, (batch - 1) * operand.batch_stride + span_elements(operand, shape));
}

}  // namespace tilewright
