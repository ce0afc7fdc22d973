// From the 64 bits of a wgmma descriptor to the address of each element of the operand.
#pragma once

#include <cstdint>

#include "hw/wgmma_types.h"

namespace tilewright::hw::sim {

struct DecodedDescriptor {
  std::uint32_t address, leading_bytes, stride_bytes, base_offset;
  WgmmaSwizzle swizzle;
};

constexpr DecodedDescriptor decode_descriptor(std::uint64_t bits) {
  const auto field = [&](int shift) {
    return static_cast<std::uint32_t>(bits >> shift & 0x3fff) << 4;
  };
  return {field(0), field(16), field(32), static_cast<std::uint32_t>(bits >> 49 & 7),
          static_cast<WgmmaSwizzle>(bits >> 62)};
}

// The width of a swizzled row; a plain one is 16 bytes wide.
constexpr std::uint32_t width_of(WgmmaSwizzle swizzle) {
  switch (swizzle) {
    case WgmmaSwizzle::k128:
      return 128;
    case WgmmaSwizzle::k64:
      return 64;
    case WgmmaSwizzle::k32:
      return 32;
    case WgmmaSwizzle::kNone:
      break;
  }
  return 16;
}

// 16-byte pieces change places inside a row by the address of the row: bits 4-6 take up bits 7-9
// for rows of 128 bytes, bits 4-5 take up 7-8 for 64, bit 4 takes up 7 for 32.
constexpr std::uint32_t swizzled(std::uint32_t address, std::uint32_t width) {
  return address ^ (address >> 7 & (width / 16 - 1)) << 4;
}

// The shared-memory address of element (mn, k) of one instruction's operand; k counts inside its 32
// bytes of K.
constexpr std::uint32_t element_address(const DecodedDescriptor& d, Major major, int element_bytes,
                                        int mn, int k) {
  const auto bytes = static_cast<std::uint32_t>(element_bytes);
  const auto line = static_cast<std::uint32_t>(major == Major::kK ? mn : k);
  const std::uint32_t along = static_cast<std::uint32_t>(major == Major::kK ? k : mn) * bytes;
  const std::uint32_t width = width_of(d.swizzle);
  std::uint32_t address = d.address + along % width;
  if (d.swizzle == WgmmaSwizzle::kNone) {
    // Cores of eight lines of 16 bytes, packed. K-major: leading offset along K, stride offset
    // along MN; MN-major: stride offset along MN, leading offset along K.
    address += line % 8 * 16;
    address += major == Major::kK ? along / width * d.leading_bytes + line / 8 * d.stride_bytes
                                  : along / width * d.stride_bytes + line / 8 * d.leading_bytes;
    return address;
  }
  address += line % 8 * width + line / 8 * d.stride_bytes + along / width * d.leading_bytes;
  return swizzled(address, width);
}

}  // namespace tilewright::hw::sim
