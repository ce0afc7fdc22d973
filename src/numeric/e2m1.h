// OCP 4-bit float E2M1: 1 sign, 2 exponent (bias 1) and 1 mantissa bit: +-{0, 0.5, 1, 1.5, 2, 3, 4,
// 6}. No infinity and no NaN. A code sits in the low 4 bits; in memory two share a byte, the
// element of lower index in the low nibble.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/rounding.h"

namespace tilewright::numeric {

// Exact; the upper four bits of `code` are ignored.
constexpr float e2m1_to_f32(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8) << 28;
  const std::uint32_t exponent = (code >> 1) & 0x3;
  const std::uint32_t mantissa = code & 0x1;
  if (exponent == 0) return std::bit_cast<float>(sign | (mantissa != 0 ? 0x3f000000 : 0));
  return std::bit_cast<float>(sign | ((exponent + 127 - 1) << 23) | (mantissa << 22));
}

// To nearest, ties to even, one rounding; overflow and infinity saturate to +-6. The format has no
// NaN: a NaN of either sign gives +6 (0x7), as the hardware's conversion does.
constexpr std::uint8_t e2m1_from_f64(double value) {
  if (is_nan(value)) return 0x7;
  const std::uint32_t sign = is_negative(value) ? 0x8 : 0;
  const std::uint32_t magnitude =
      rounded_magnitude(value, {.exponent_bits = 2, .mantissa_bits = 1});
  return static_cast<std::uint8_t>(sign | (magnitude < 0x7 ? magnitude : 0x7));
}

constexpr std::uint8_t e2m1_from_f32(float value) {
  return e2m1_from_f64(value);
}

}  // namespace tilewright::numeric
