// bfloat16: the upper half of binary32. 1 sign, 8 exponent and 7 mantissa bits.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/rounding.h"

namespace tilewright::numeric {

// Exact.
constexpr float bf16_to_f32(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

// To nearest, ties to even, one rounding; overflow to infinity. A NaN stays a quiet NaN with its
// sign and the upper bits of its payload.
constexpr std::uint16_t bf16_from_f64(double value) {
  const std::uint32_t sign = is_negative(value) ? 0x8000 : 0;
  if (is_nan(value)) {
    const auto payload = static_cast<std::uint32_t>(magnitude_bits(value) >> 45) & 0x7f;
    return static_cast<std::uint16_t>(sign | 0x7fc0 | payload);
  }
  const std::uint32_t magnitude =
      rounded_magnitude(value, {.exponent_bits = 8, .mantissa_bits = 7});
  return static_cast<std::uint16_t>(sign | (magnitude < 0x7f80 ? magnitude : 0x7f80));
}

// Widening is exact, so this too rounds once.
constexpr std::uint16_t bf16_from_f32(float value) {
  return bf16_from_f64(value);
}

}  // namespace tilewright::numeric
