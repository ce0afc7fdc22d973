#include "hw/sim/products.h"

#include <bit>
#include <cstddef>
#include <vector>

#include "numeric/bf16.h"
#include "numeric/e4m3.h"
#include "numeric/f16.h"

namespace tilewright::hw::sim {
namespace {

// E5M2 is the upper half of a binary16.
float decode(ProductType type, std::uint32_t bits) {
  switch (type) {
    case ProductType::kF16:
      return numeric::f16_to_f32(static_cast<std::uint16_t>(bits));
    case ProductType::kBF16:
      return numeric::bf16_to_f32(static_cast<std::uint16_t>(bits));
    case ProductType::kTF32:
      return std::bit_cast<float>(bits & 0xffffe000u);  // the lower 13 bits are not looked at
    case ProductType::kE4M3:
      return numeric::e4m3_to_f32(static_cast<std::uint8_t>(bits));
    case ProductType::kE5M2:
      return numeric::f16_to_f32(static_cast<std::uint16_t>(bits << 8));
    case ProductType::kS8:
      break;
  }
  return static_cast<float>(static_cast<std::int8_t>(bits));
}

// [lines][k] to [k][lines], so that the innermost loop runs along memory.
std::vector<double> decode_turned(ProductType type, std::span<const std::uint32_t> bits, int lines,
                                  int k) {
  std::vector<double> values(bits.size());
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < k; ++i) {
      values[static_cast<std::size_t>(i * lines + line)] =
          decode(type, bits[static_cast<std::size_t>(line * k + i)]);
    }
  }
  return values;
}

}  // namespace

void add_products(ProductType type, ProductShape shape, std::span<float> d,
                  std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const auto n = static_cast<std::size_t>(shape.n), k = static_cast<std::size_t>(shape.k);
  const std::vector<double> columns = decode_turned(type, b, shape.n, shape.k);
  std::vector<double> sums(n);
  for (std::size_t row = 0; row < static_cast<std::size_t>(shape.m); ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      const double left = decode(type, a[row * k + i]);
      const double* const right = &columns[i * n];
      for (std::size_t j = 0; j < n; ++j) sums[j] += left * right[j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      d[row * n + j] = static_cast<float>(static_cast<double>(d[row * n + j]) + sums[j]);
    }
  }
}

void add_integer_products(ProductShape shape, std::span<std::int32_t> d,
                          std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const auto n = static_cast<std::size_t>(shape.n), k = static_cast<std::size_t>(shape.k);
  for (std::size_t row = 0; row < static_cast<std::size_t>(shape.m); ++row) {
    for (std::size_t j = 0; j < n; ++j) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        sum += static_cast<std::int8_t>(a[row * k + i]) * static_cast<std::int8_t>(b[j * k + i]);
      }
      d[row * n + j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(d[row * n + j]) +
                                                 static_cast<std::uint32_t>(sum));
    }
  }
}

}  // namespace tilewright::hw::sim
