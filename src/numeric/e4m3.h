// OCP 8-bit float E4M3: 1 sign, 4 exponent (bias 7) and 3 mantissa bits. No infinity; the largest
// value is 448 and the one NaN pattern of each sign is S.1111.111.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/rounding.h"

namespace tilewright::numeric {

// Exact.
constexpr float e4m3_to_f32(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80) << 24;
  const std::uint32_t exponent = (code >> 3) & 0xf;
  const std::uint32_t mantissa = code & 0x7;
  if (exponent == 0xf && mantissa == 0x7) return std::bit_cast<float>(sign | 0x7fc00000);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - 7) << 23) | (mantissa << 20));
}

// To nearest, ties to even, one rounding; overflow and infinity saturate to +-448 (satfinite, as
// the hardware's conversion does). NaN of either sign gives 0x7f.
constexpr std::uint8_t e4m3_from_f64(double value) {
  if (is_nan(value)) return 0x7f;
  const std::uint32_t sign = is_negative(value) ? 0x80 : 0;
  const std::uint32_t magnitude =
      rounded_magnitude(value, {.exponent_bits = 4, .mantissa_bits = 3});
  return static_cast<std::uint8_t>(sign | (magnitude < 0x7e ? magnitude : 0x7e));
}

constexpr std::uint8_t e4m3_from_f32(float value) {
  return e4m3_from_f64(value);
}

}  // namespace tilewright::numeric
