// IEEE binary16: 1 sign, 5 exponent and 10 mantissa bits; subnormals, infinities, NaNs.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/rounding.h"

namespace tilewright::numeric {

// Exact. A NaN keeps its sign and payload and comes out quiet.
constexpr float f16_to_f32(std::uint16_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000) << 16;
  const std::uint32_t exponent = (code >> 10) & 0x1f;
  const std::uint32_t mantissa = code & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  if (exponent == 0x1f) {
    const std::uint32_t quiet = mantissa != 0 ? 0x00400000 : 0;
    return std::bit_cast<float>(sign | 0x7f800000 | quiet | (mantissa << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23) | (mantissa << 13));
}

// To nearest, ties to even, one rounding; overflow to infinity. A NaN stays a quiet NaN with its
// sign and the upper bits of its payload.
constexpr std::uint16_t f16_from_f64(double value) {
  const std::uint32_t sign = is_negative(value) ? 0x8000 : 0;
  if (is_nan(value)) {
    const auto payload = static_cast<std::uint32_t>(magnitude_bits(value) >> 42) & 0x3ff;
    return static_cast<std::uint16_t>(sign | 0x7e00 | payload);
  }
  const std::uint32_t magnitude =
      rounded_magnitude(value, {.exponent_bits = 5, .mantissa_bits = 10});
  return static_cast<std::uint16_t>(sign | (magnitude < 0x7c00 ? magnitude : 0x7c00));
}

// Widening is exact, so this too rounds once.
constexpr std::uint16_t f16_from_f32(float value) {
  return f16_from_f64(value);
}

}  // namespace tilewright::numeric
