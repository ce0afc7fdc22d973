#include "hw/sim/products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tilewright::hw::sim {
namespace {

// The value of a code by the definition of its format: sign, exponent, mantissa, read apart.
struct Format {
  ProductType type;
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  std::uint32_t one;

  double value(std::uint32_t code) const {
    const std::uint32_t top = (1u << exponent_bits) - 1;
    const std::uint32_t exponent = code >> mantissa_bits & top;
    const std::uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
    const double sign = (code >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
    const int bias = static_cast<int>(top >> 1);
    if (exponent == top && has_infinity) {
      return mantissa == 0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == top && mantissa == (1u << mantissa_bits) - 1) return std::nan("");
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                         : sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - bias);
  }
  int k() const { return 32 / element_bytes(type); }
};

constexpr Format kF16 = {ProductType::kF16, 5, 10, true, 0x3c00};
constexpr Format kBF16 = {ProductType::kBF16, 8, 7, true, 0x3f80};
constexpr Format kTF32 = {ProductType::kTF32, 8, 23, true, 0x3f800000};
constexpr Format kE4M3 = {ProductType::kE4M3, 4, 3, false, 0x38};
constexpr Format kE5M2 = {ProductType::kE5M2, 5, 2, true, 0x3c};

// One sum: element i of K has a[i] * b[i].
float one_sum(const Format& format, const std::vector<std::uint32_t>& a,
              const std::vector<std::uint32_t>& b, float start) {
  const auto k = static_cast<std::size_t>(format.k());
  std::vector<std::uint32_t> all_a(16 * k), all_b(8 * k);
  std::copy(a.begin(), a.end(), all_a.begin());
  std::copy(b.begin(), b.end(), all_b.begin());
  std::vector<float> d(16 * 8);
  d[0] = start;
  add_products(format.type, {16, 8, format.k()}, d, all_a, all_b);
  return d[0];
}

TEST(Products, EveryCodeHasItsValueOnBothSides) {
  for (const Format& format : {kF16, kBF16, kE4M3, kE5M2}) {
    const int bits = 1 + format.exponent_bits + format.mantissa_bits;
    for (std::uint32_t code = 0; code < 1u << bits; ++code) {
      const double wanted = format.value(code);
      const float left = one_sum(format, {code}, {format.one}, 0);
      const float right = one_sum(format, {format.one}, {code}, 0);
      if (std::isnan(wanted)) {
        ASSERT_TRUE(std::isnan(left) && std::isnan(right)) << bits << " bits, code " << code;
      } else {
        ASSERT_EQ(left, static_cast<float>(wanted)) << bits << " bits, code " << code;
        ASSERT_EQ(right, static_cast<float>(wanted)) << bits << " bits, code " << code;
      }
    }
  }
}

TEST(Products, Tf32IsAFloatWithoutItsLast13Bits) {
  for (const float value : {1.0f, -1.5f, 3.14159265f, 1e-38f, 1e-42f, 3e38f}) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto wanted = static_cast<float>(kTF32.value(bits & 0xffffe000));
    EXPECT_EQ(one_sum(kTF32, {bits}, {kTF32.one}, 0), wanted) << value;
    EXPECT_EQ(one_sum(kTF32, {bits | 0x1fff}, {kTF32.one}, 0), wanted) << value;
  }
  EXPECT_EQ(one_sum(kTF32, {0x3f802000}, {kTF32.one}, 0), 1 + 0x1p-10f);
}

TEST(Products, AreRoundedOnceToNearest) {
  constexpr std::uint32_t kOne = 0x3c00, kLarge = 0x7800;   // 1, 2^15
  constexpr std::uint32_t kTiny = 0x0001, kSmall = 0x0010;  // 2^-24, 2^-20
  // A tie goes to the even neighbour; what float would have lost decides it.
  EXPECT_EQ(one_sum(kF16, {kTiny}, {kOne}, 1), 1);
  EXPECT_EQ(one_sum(kF16, {kTiny}, {kOne}, 1 + 0x1p-23f), 1 + 0x1p-22f);
  EXPECT_EQ(one_sum(kF16, {kTiny, kTiny}, {kOne, kTiny}, 1), 1 + 0x1p-23f);
  // Sums that cancel leave the small term whole, whatever its place.
  EXPECT_EQ(one_sum(kF16, {kLarge, kSmall, kLarge}, {kLarge, kOne, kLarge | 0x8000}, 0), 0x1p-20f);
  EXPECT_EQ(one_sum(kF16, {kLarge, kOne}, {kLarge, kOne}, -0x1p30f), 1);
  // Beyond the largest float.
  EXPECT_EQ(one_sum(kBF16, {0x7f7f, 0x7f7f}, {kBF16.one, kBF16.one}, 0), INFINITY);
  EXPECT_EQ(one_sum(kBF16, {0x7f7f, 0x7f7f}, {kBF16.one, kBF16.one | 0x8000}, 3), 3);
}

TEST(Products, ANonFiniteTermReachesItsSumAlone) {
  std::vector<std::uint32_t> a(16 * 16, kF16.one), b(8 * 16, kF16.one);
  a[3 * 16 + 5] = 0x7c00;  // infinity
  b[6 * 16 + 5] = 0x8000;  // -0
  std::vector<float> d(16 * 8, 0.5f);
  add_products(ProductType::kF16, {16, 8, 16}, d, a, b);
  for (std::size_t i = 0; i < d.size(); ++i) {
    const bool in_row = i / 8 == 3, in_column = i % 8 == 6;
    if (in_row && in_column) {
      EXPECT_TRUE(std::isnan(d[i]));
    } else {
      EXPECT_EQ(d[i], in_row ? INFINITY : in_column ? 15.5f : 16.5f) << i;
    }
  }
}

// Small integers: every order and width of the sum gives the same, so that only places can differ.
TEST(Products, EveryShapeIsTheMatrixProduct) {
  std::mt19937 random(1);
  const auto small = [&] { return static_cast<int>(random() % 17) - 8; };
  for (const ProductShape shape :
       {ProductShape{16, 8, 16}, {16, 16, 16}, {64, 8, 16}, {64, 24, 16}, {64, 256, 16}}) {
    const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
               k = static_cast<std::size_t>(shape.k);
    std::vector<int> a(m * k), b(n * k), d(m * n);
    for (auto* matrix : {&a, &b, &d}) {
      for (int& each : *matrix) each = small();
    }
    // bfloat16 is the upper half of a float.
    const auto bits = [](const std::vector<int>& values) {
      std::vector<std::uint32_t> result;
      for (const int each : values) {
        result.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(each)) >> 16);
      }
      return result;
    };
    std::vector<float> sums(d.begin(), d.end());
    add_products(ProductType::kBF16, shape, sums, bits(a), bits(b));
    for (std::size_t row = 0; row < m; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        int wanted = d[row * n + column];
        for (std::size_t i = 0; i < k; ++i) wanted += a[row * k + i] * b[column * k + i];
        ASSERT_EQ(sums[row * n + column], static_cast<float>(wanted))
            << shape.m << " x " << shape.n << ", row " << row << ", column " << column;
      }
    }
  }
}

TEST(Products, IntegersAreExactAndWrapAround) {
  std::mt19937 random(2);
  for (const ProductShape shape : {ProductShape{16, 8, 32}, {64, 40, 32}}) {
    const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n);
    constexpr std::size_t kK = 32;
    std::vector<std::uint32_t> a(m * kK), b(n * kK);
    for (auto* matrix : {&a, &b}) {
      for (std::uint32_t& each : *matrix) each = random() & 0xff;
    }
    // The largest sum there is, 32 * 128 * 128, in row and column 0.
    std::fill_n(a.begin(), kK, 0x80);
    std::fill_n(b.begin(), kK, 0x80);
    std::vector<std::int32_t> d(m * n), before;
    for (std::int32_t& each : d) each = static_cast<std::int32_t>(random());
    d[0] = std::numeric_limits<std::int32_t>::max();
    before = d;
    add_integer_products(shape, d, a, b);
    for (std::size_t row = 0; row < m; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        std::int64_t sum = before[row * n + column];
        for (std::size_t i = 0; i < kK; ++i) {
          const auto signed_value = [](std::uint32_t code) {
            return static_cast<int>(code) - (code >= 128 ? 256 : 0);
          };
          sum += signed_value(a[row * kK + i]) * signed_value(b[column * kK + i]);
        }
        const std::int64_t wrapped = ((sum + (1ll << 31)) & 0xffffffff) - (1ll << 31);
        ASSERT_EQ(d[row * n + column], wrapped) << row << ", " << column;
      }
    }
    EXPECT_EQ(d[0], std::numeric_limits<std::int32_t>::min() + (32 * 128 * 128 - 1));
  }
}

}  // namespace
}  // namespace tilewright::hw::sim
