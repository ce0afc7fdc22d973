// A GEMM as both rows see it: strides instead of orders, and D always row-major.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/gemm_row.h"

namespace tilewright::simd {

// Element (r, c) of batch entry e at data + e * batch_stride + r * row_stride + c * col_stride.
struct Matrix {
  const std::byte* data = nullptr;
  DType type = DType::kF32;
  std::int64_t row_stride = 0, col_stride = 0, batch_stride = 0;

  const void* at(std::int64_t entry, std::int64_t row, std::int64_t col) const {
    return data + bytes_of(type, entry * batch_stride + row * row_stride + col * col_stride);
  }
};

struct Product {
  std::int64_t m, n, k, batch;
  Matrix a, b, c, d;  // d.col_stride is 1
  float alpha, beta;
  bool reads_a_and_b;

  void* d_at(std::int64_t entry, std::int64_t row, std::int64_t col) const {
    return const_cast<void*>(d.at(entry, row, col));
  }
};

inline Matrix matrix_of(const void* data, const Operand& operand) {
  const bool row_major = operand.order == Order::kRowMajor;
  return {static_cast<const std::byte*>(data), operand.type, row_major ? operand.ld : 1,
          row_major ? 1 : operand.ld, operand.batch_stride};
}

inline Matrix transposed(Matrix matrix) {
  std::swap(matrix.row_stride, matrix.col_stride);
  return matrix;
}

// A column-major D is the row-major D' of D' = B' A'.
inline Product product_of(const GemmProblem& problem, const GemmArgs& args) {
  const float beta = args.c == nullptr ? 0.0f : args.beta;
  Product product{problem.m,
                  problem.n,
                  problem.k,
                  problem.batch,
                  matrix_of(args.a, problem.a),
                  matrix_of(args.b, problem.b),
                  matrix_of(args.c, problem.c),
                  matrix_of(args.d, problem.d),
                  args.alpha,
                  beta,
                  args.alpha != 0.0f && problem.k > 0};
  product.c.type = product.d.type;
  if (problem.d.order == Order::kRowMajor) return product;
  std::swap(product.m, product.n);
  std::swap(product.a, product.b);
  product.a = transposed(product.a);
  product.b = transposed(product.b);
  product.c = transposed(product.c);
  product.d = transposed(product.d);
  return product;
}

// As many threads as `work` fills with at least `work_per_thread`, and no more than allowed.
inline int threads_for(double work, double work_per_thread, int allowed) {
  const double wanted = std::max(1.0, work / work_per_thread);
  return wanted >= allowed ? std::max(1, allowed) : static_cast<int>(wanted);
}

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

// Host memory for packed panels, aligned to a cache line; data() is null when there was none.
class PackBuffer {
 public:
  static constexpr std::int64_t kAlignmentFloats = 16;

  explicit PackBuffer(std::int64_t floats)
      : data_(static_cast<float*>(std::aligned_alloc(
            64, static_cast<std::size_t>(round_up(floats, kAlignmentFloats)) * sizeof(float)))) {}
  float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
};

}  // namespace tilewright::simd
