// Words of wgmma that mean the same on both targets.
#pragma once

#include <cstdint>

namespace tilewright::hw {

// Which direction of an operand is contiguous in shared memory: K, or M (of A) and N (of B).
enum class Major : std::uint8_t { kK, kMN };

// How rows of shared memory are permuted; the numbers are those of the descriptor's bits 62-63.
enum class WgmmaSwizzle : std::uint8_t { kNone = 0, k128 = 1, k64 = 2, k32 = 3 };

// Where an operand lies in shared memory, for the instruction. Bits: 0-13 address / 16, 16-29
// leading offset / 16, 32-45 stride offset / 16, 49-51 base offset, 62-63 swizzle.
//
//   operand               stride offset           leading offset
//   K-major, swizzled     next 8 rows             not used
//   K-major, plain        next 8 rows             second 16 bytes of the 32 along K
//   MN-major, swizzled    next 8 along K          next swizzle width along M or N
//   MN-major, plain       next 8 along M or N     next 8 along K
struct WgmmaDescriptor {
  std::uint64_t bits;

  // The operand `bytes` further on, a multiple of 16.
  constexpr WgmmaDescriptor operator+(int bytes) const {
    return {bits + static_cast<std::uint64_t>(bytes >> 4)};
  }
};

constexpr WgmmaDescriptor make_wgmma_descriptor(std::uint32_t address, int leading_bytes,
                                                int stride_bytes, WgmmaSwizzle swizzle) {
  const auto field = [](std::uint32_t bytes, int shift) {
    return static_cast<std::uint64_t>(bytes >> 4 & 0x3fff) << shift;
  };
  return {field(address, 0) | field(static_cast<std::uint32_t>(leading_bytes), 16) |
          field(static_cast<std::uint32_t>(stride_bytes), 32) |
          static_cast<std::uint64_t>(swizzle) << 62};
}

static_assert(make_wgmma_descriptor(1024, 16, 1024, WgmmaSwizzle::k128).bits ==
              (64ull | 1ull << 16 | 64ull << 32 | 1ull << 62));

}  // namespace tilewright::hw
