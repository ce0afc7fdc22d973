// Number formats. Bit layouts, rounding and special values: src/numeric, docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class DType : std::uint8_t {
  kF32,   // IEEE binary32
  kF16,   // IEEE binary16
  kBF16,  // bfloat16: the upper half of binary32
  // Named now, used by the quantised and block-scaled operations; no GEMM row takes them yet.
  kE4M3,  // OCP 8-bit float, 4 exponent bits, no infinity
  kE8M0,  // OCP 8-bit power of two
  kE2M1,  // OCP 4-bit float, two a byte
  kI8,
  kI4,  // two a byte
};

constexpr int bits_of(DType type) {
  switch (type) {
    case DType::kF32: return 32;
    case DType::kF16:
    case DType::kBF16: return 16;
    case DType::kE4M3:
    case DType::kE8M0:
    case DType::kI8: return 8;
    case DType::kE2M1:
    case DType::kI4: return 4;
  }
  return 0;
}

// Bytes of `elements` consecutive elements; the packed 4-bit types round up to a whole byte.
constexpr std::int64_t bytes_of(DType type, std::int64_t elements) {
  return (elements * bits_of(type) + 7) / 8;
}

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::kF32: return "f32";
    case DType::kF16: return "f16";
    case DType::kBF16: return "bf16";
    case DType::kE4M3: return "e4m3";
    case DType::kE8M0: return "e8m0";
    case DType::kE2M1: return "e2m1";
    case DType::kI8: return "i8";
    case DType::kI4: return "i4";
  }
  return "?";
}

constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(DType::kI4); ++i) {
    const auto type = static_cast<DType>(i);
    if (name == name_of(type)) return type;
  }
  return std::nullopt;
}

}  // namespace tilewright
