// What a filled buffer holds: a pure function of seed and index, the same on host and device.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::measure {

enum class Fill : std::uint8_t {
  kUniform,  // (-1, 1), symmetric, 2^23 values
  kNormal,   // mean 0, variance 1, by a sum of twelve uniforms: never past 6
  kInteger,  // -3 .. 3: products and short sums are exact in every type
  kZero,
  kFile,  // the bytes of a file, again and again
};

constexpr std::string_view name_of(Fill fill) {
  switch (fill) {
    case Fill::kUniform:
      return "uniform[-1,1]";
    case Fill::kNormal:
      return "normal(0,1)";
    case Fill::kInteger:
      return "integer[-3,3]";
    case Fill::kZero:
      return "zero";
    case Fill::kFile:
      return "file";
  }
  return "?";
}

// A counter-based generator: splitmix64's finaliser, every bit of the result depends on every bit
// of `x`.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Integer arithmetic and one exact conversion: no rounding, so no difference between compilers.
constexpr float fill_value(Fill fill, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = mix(mix(seed) ^ index);
  switch (fill) {
    case Fill::kUniform: {
      const auto odd = static_cast<std::int32_t>(2 * (bits >> 41) + 1);  // of 24 bits
      return static_cast<float>(odd - (1 << 23)) * 0x1p-23f;
    }
    case Fill::kNormal: {
      std::int32_t sum = 0;
      for (std::uint64_t word = bits, i = 0; i < 3; ++i, word = mix(word)) {
        for (int shift = 0; shift < 64; shift += 16) {
          sum += static_cast<std::int32_t>((word >> shift) & 0xffff);
        }
      }
      return static_cast<float>(sum - 6 * 0xffff) * 0x1p-16f;
    }
    case Fill::kInteger:
      return static_cast<float>(static_cast<std::int32_t>(bits % 7) - 3);
    case Fill::kZero:
    case Fill::kFile:
      return 0.0f;
  }
  return 0.0f;
}

// The checksum of a buffer is the sum of this over its 8-byte words, the last one filled up with
// zero bytes. A sum, so that any order of evaluation gives the same.
constexpr std::uint64_t checksum_term(std::uint64_t index, std::uint64_t word) {
  return mix(mix(index) ^ word);
}

}  // namespace tilewright::measure
