// One GEMM for a peer to solve, with operands in host memory and the answer by plain loops.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tilewright/codecs.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

inline const std::vector<GemmArgs> kNoSets(1);  // one set without operands

struct OrderMix {
  Order a, b, d;
};

inline std::vector<OrderMix> all_order_mixes() {
  std::vector<OrderMix> mixes;
  for (const Order a : {Order::kRowMajor, Order::kColMajor}) {
    for (const Order b : {Order::kRowMajor, Order::kColMajor}) {
      for (const Order d : {Order::kRowMajor, Order::kColMajor}) mixes.push_back({a, b, d});
    }
  }
  return mixes;
}

inline std::string letters_of(const OrderMix& mix) {
  const auto letter = [](Order order) { return order == Order::kRowMajor ? 'r' : 'c'; };
  return {letter(mix.a), letter(mix.b), letter(mix.d)};
}

struct PeerShape {
  std::int64_t m, n, k, batch;
  std::int64_t pad;  // added to every leading dimension and batch stride
};

class PeerProblem {
 public:
  PeerProblem(const PeerShape& shape, const OrderMix& mix, DType inputs, DType output) {
    problem_.m = shape.m;
    problem_.n = shape.n;
    problem_.k = shape.k;
    problem_.batch = shape.batch;
    place(problem_.a, a_, inputs, mix.a, shape.m, shape.k, shape.pad);
    place(problem_.b, b_, inputs, mix.b, shape.k, shape.n, shape.pad);
    place(problem_.c, c_, output, mix.d, shape.m, shape.n, shape.pad + 8);
    place(problem_.d, d_, output, mix.d, shape.m, shape.n, shape.pad);
  }

  GemmProblem& problem() { return problem_; }
  std::vector<std::byte>& a() { return a_; }
  std::vector<std::byte>& b() { return b_; }
  std::vector<std::byte>& c() { return c_; }
  std::vector<std::byte>& d() { return d_; }

  // All of D, between its rows too, becomes NaN.
  void poison_d() {
    const std::vector<float> nan(elements(problem_.d), std::numeric_limits<float>::quiet_NaN());
    d_ = encoded(problem_.d.type, nan);
  }

  // C becomes D itself: the values inside D, NaN between its rows.
  void put_c_in_d() {
    const std::vector<float> values = decoded(problem_.d, d_);
    std::vector<float> held(values.size(), std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t i = 0; i < problem_.batch; ++i) {
      for (std::int64_t row = 0; row < problem_.m; ++row) {
        for (std::int64_t column = 0; column < problem_.n; ++column) {
          const std::size_t place = place_of(problem_.d, i, row, column);
          held[place] = values[place];
        }
      }
    }
    problem_.c = problem_.d;
    c_ = d_ = encoded(problem_.d.type, held);
  }

  // Compares D as it stands with alpha * A * B + beta * C, and what lies between with NaN.
  ::testing::AssertionResult d_is_right(float alpha, float beta) const {
    const std::vector<float> a = decoded(problem_.a, a_), b = decoded(problem_.b, b_);
    const std::vector<float> c = decoded(problem_.c, c_);
    std::vector<float> d = decoded(problem_.d, d_);
    for (std::int64_t i = 0; i < problem_.batch; ++i) {
      for (std::int64_t row = 0; row < problem_.m; ++row) {
        for (std::int64_t column = 0; column < problem_.n; ++column) {
          double sum = 0, size = 0;
          for (std::int64_t k = 0; k < problem_.k; ++k) {
            const double product = double{a[place_of(problem_.a, i, row, k)]} *
                                   double{b[place_of(problem_.b, i, k, column)]};
            sum += product;
            size += std::abs(product);
          }
          const double added =
              beta == 0 ? 0 : beta * double{c[place_of(problem_.c, i, row, column)]};
          const double wanted = alpha * sum + added;
          float& found = d[place_of(problem_.d, i, row, column)];
          const double bound = 0x1p-24 * static_cast<double>(problem_.k + 4) *
                                   (std::abs(alpha) * size + std::abs(added)) +
                               unit_roundoff(problem_.d.type) * std::abs(wanted) + 1e-7;
          if (!(std::abs(found - wanted) <= bound)) {
            return ::testing::AssertionFailure()
                   << "D[" << i << "][" << row << "][" << column << "] is " << found << ", not "
                   << wanted << " within " << bound;
          }
          found = std::numeric_limits<float>::quiet_NaN();
        }
      }
    }
    for (const float value : d) {
      if (!std::isnan(value)) {
        return ::testing::AssertionFailure() << value << " was written between the rows of D";
      }
    }
    return ::testing::AssertionSuccess();
  }

 private:
  static double unit_roundoff(DType type) {
    return type == DType::kF32 ? 0x1p-24 : type == DType::kF16 ? 0x1p-11 : 0x1p-8;
  }

  static std::size_t place_of(const Operand& operand, std::int64_t batch, std::int64_t row,
                              std::int64_t column) {
    const std::int64_t inside =
        operand.order == Order::kRowMajor ? row * operand.ld + column : row + column * operand.ld;
    return static_cast<std::size_t>(batch * operand.batch_stride + inside);
  }

  std::size_t elements(const Operand& operand) const {
    return static_cast<std::size_t>(operand.batch_stride * problem_.batch);
  }

  static std::vector<std::byte> encoded(DType type, const std::vector<float>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(type, count)));
    EXPECT_TRUE(encode(type, values.data(), count, bytes.data()));
    return bytes;
  }

  std::vector<float> decoded(const Operand& operand, const std::vector<std::byte>& bytes) const {
    std::vector<float> values(elements(operand));
    EXPECT_TRUE(decode(operand.type, bytes.data(), static_cast<std::int64_t>(values.size()),
                       values.data()));
    return values;
  }

  void place(Operand& operand, std::vector<std::byte>& bytes, DType type, Order order,
             std::int64_t rows, std::int64_t columns, std::int64_t pad) {
    const bool row_major = order == Order::kRowMajor;
    operand.type = type;
    operand.order = order;
    operand.ld = (row_major ? columns : rows) + pad;
    operand.batch_stride = operand.ld * (row_major ? rows : columns) + pad;
    std::vector<float> values(elements(operand));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& value : values) value = uniform(random_);
    bytes = encoded(type, values);
  }

  GemmProblem problem_;
  std::vector<std::byte> a_, b_, c_, d_;
  std::mt19937 random_{20240229};
};

}  // namespace tilewright::measure
