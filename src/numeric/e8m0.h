// OCP scale format E8M0: the power of two 2^(code - 127). No sign, no zero, no infinity; 0xff is
// NaN.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/rounding.h"

namespace tilewright::numeric {

// Exact; 2^-127 is a subnormal float.
constexpr float e8m0_to_f32(std::uint8_t code) {
  if (code == 0xff) return std::bit_cast<float>(std::uint32_t{0x7fc00000});
  if (code == 0) return 0x1p-127f;
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 23);
}

// To the nearest power of two in value, a tie (1.5 * 2^e) to the even code. Saturates: zero and all
// below 2^-127 give 2^-127, all above 2^127 and infinity give 2^127. NaN and negative values, which
// the format cannot hold, give NaN.
constexpr std::uint8_t e8m0_from_f64(double value) {
  const std::uint64_t bits = magnitude_bits(value);
  if (is_nan(value) || (is_negative(value) && bits != 0)) return 0xff;
  int code = static_cast<int>(bits >> 52) - 1023 + 127;
  const std::uint64_t mantissa = bits & kDoubleMantissaMask;
  const std::uint64_t half = std::uint64_t{1} << 51;
  if (mantissa > half || (mantissa == half && (code & 1) != 0)) ++code;
  if (code < 0) return 0;
  return static_cast<std::uint8_t>(code < 0xfe ? code : 0xfe);
}

constexpr std::uint8_t e8m0_from_f32(float value) {
  return e8m0_from_f64(value);
}

}  // namespace tilewright::numeric
