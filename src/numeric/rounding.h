// The one rounding that every small float format shares: to nearest, ties to even, from double.
#pragma once

#include <bit>
#include <cstdint>

namespace tilewright::numeric {

struct FloatLayout {
  int exponent_bits, mantissa_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr std::uint64_t kDoubleMantissaMask = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kDoubleInfinity = std::uint64_t{0x7ff} << 52;

constexpr std::uint64_t magnitude_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
}

constexpr bool is_negative(double value) {
  return (std::bit_cast<std::uint64_t>(value) >> 63) != 0;
}

constexpr bool is_nan(double value) {
  return magnitude_bits(value) > kDoubleInfinity;
}

// The code (exponent and mantissa fields) of |value|, rounded once as though the format's exponents
// went on without end: since codes rise with the value, the caller cuts overflow off by comparing
// with its largest code. `value` is no NaN.
constexpr std::uint32_t rounded_magnitude(double value, FloatLayout layout) {
  const std::uint64_t bits = magnitude_bits(value);
  const int double_exponent = static_cast<int>(bits >> 52);
  if (double_exponent == 0) return 0;  // below 2^-1022: far under half of any smallest subnormal
  const std::uint64_t significand = (bits & kDoubleMantissaMask) | (std::uint64_t{1} << 52);
  const int exponent = double_exponent - 1023 + layout.bias();
  const bool subnormal = exponent < 1;
  const int dropped_bits = 52 - layout.mantissa_bits + (subnormal ? 1 - exponent : 0);
  if (dropped_bits > 53) return 0;  // less than half of the smallest subnormal
  const std::uint64_t half = std::uint64_t{1} << (dropped_bits - 1);
  const std::uint64_t rest = significand & (2 * half - 1);
  auto kept = static_cast<std::uint32_t>(significand >> dropped_bits);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // `kept` holds the leading one, which adds the last 1 to the exponent field; a carry out of the
  // mantissa does the same once more.
  return subnormal ? kept
                   : (static_cast<std::uint32_t>(exponent - 1) << layout.mantissa_bits) + kept;
}

}  // namespace tilewright::numeric
