#include "hw/sim/products.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "numeric/bf16.h"
#include "numeric/e4m3.h"
#include "numeric/f16.h"

namespace tilewright::hw::sim {
namespace {

constexpr float f16(std::uint32_t bits) {
  return numeric::f16_to_f32(static_cast<std::uint16_t>(bits));
}
constexpr float bf16(std::uint32_t bits) {
  return numeric::bf16_to_f32(static_cast<std::uint16_t>(bits));
}
constexpr float tf32(std::uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000u);  // the lower 13 bits are not looked at
}
constexpr float e4m3(std::uint32_t bits) {
  return numeric::e4m3_to_f32(static_cast<std::uint8_t>(bits));
}
constexpr float e5m2(std::uint32_t bits) {
  return f16(bits << 8);  // the upper half of a binary16
}
constexpr float s8(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int8_t>(bits));
}

template <float (*kDecode)(std::uint32_t)>
constexpr auto kTable = [] {
  std::array<float, 256> values;
  for (std::uint32_t code = 0; code < values.size(); ++code) values[code] = kDecode(code);
  return values;
}();
template <float (*kDecode)(std::uint32_t)>
float look_up(std::uint32_t bits) {
  return kTable<kDecode>[bits & 0xff];
}

// [lines][k] to [k][lines], so that the loops below run along memory.
template <float (*kDecode)(std::uint32_t), class Value>
std::vector<Value> turn(std::span<const std::uint32_t> bits, std::size_t lines, std::size_t k) {
  std::vector<Value> values(lines * k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t line = 0; line < lines; ++line) {
      values[i * lines + line] = kDecode(bits[line * k + i]);
    }
  }
  return values;
}

template <class Value>
std::vector<Value> decode(ProductType type, std::span<const std::uint32_t> bits, std::size_t lines,
                          std::size_t k) {
  switch (type) {
    case ProductType::kF16:
      return turn<f16, Value>(bits, lines, k);
    case ProductType::kBF16:
      return turn<bf16, Value>(bits, lines, k);
    case ProductType::kTF32:
      return turn<tf32, Value>(bits, lines, k);
    case ProductType::kE4M3:
      return turn<look_up<e4m3>, Value>(bits, lines, k);
    case ProductType::kE5M2:
      return turn<look_up<e5m2>, Value>(bits, lines, k);
    case ProductType::kS8:
      break;
  }
  return turn<s8, Value>(bits, lines, k);
}

// As many values as every x86-64 and Arm adds at once; without the word compilers leave the sums
// below in memory.
template <class Value>
using Wide [[gnu::vector_size(16)]] = Value;

// Hands `take` each place of D with the sum of its products, added in the order of k. The sums of
// two rows and eight columns stay in registers: a kernel's time in the simulator goes into these
// loops. Every instruction has a multiple of both.
template <class Value, class Take>
void for_each_sum(ProductType type, ProductShape shape, std::span<const std::uint32_t> a_bits,
                  std::span<const std::uint32_t> b_bits, Take take) {
  constexpr std::size_t kRows = 2, kColumns = 8, kLanes = 16 / sizeof(Value);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  const std::vector<Value> a = decode<Value>(type, a_bits, m, k);
  const std::vector<Value> b = decode<Value>(type, b_bits, n, k);
  for (std::size_t column = 0; column < n; column += kColumns) {
    for (std::size_t row = 0; row < m; row += kRows) {
      Wide<Value> sums[kRows][kColumns / kLanes] = {};
      for (std::size_t i = 0; i < k; ++i) {
        Wide<Value> right[kColumns / kLanes];
        std::memcpy(right, &b[i * n + column], sizeof(right));
        for (std::size_t r = 0; r < kRows; ++r) {
          const Value left = a[i * m + row + r];
          for (std::size_t c = 0; c < kColumns / kLanes; ++c) sums[r][c] += left * right[c];
        }
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t c = 0; c < kColumns; ++c) {
          take((row + r) * n + column + c, sums[r][c / kLanes][c % kLanes]);
        }
      }
    }
  }
}

}  // namespace

void add_products(ProductType type, ProductShape shape, std::span<float> d,
                  std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  for_each_sum<double>(type, shape, a, b, [&](std::size_t at, double sum) {
    d[at] = static_cast<float>(static_cast<double>(d[at]) + sum);
  });
}

void add_integer_products(ProductShape shape, std::span<std::int32_t> d,
                          std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  // 32 products of int8 stay below 2^20, where float is exact.
  for_each_sum<float>(ProductType::kS8, shape, a, b, [&](std::size_t at, float sum) {
    d[at] = static_cast<std::int32_t>(static_cast<std::uint32_t>(d[at]) +
                                      static_cast<std::uint32_t>(static_cast<std::int32_t>(sum)));
  });
}

}  // namespace tilewright::hw::sim
