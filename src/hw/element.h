// The 16-bit element types as kernels hold them: bits and nothing else.
#pragma once

#include <cstdint>

namespace tilewright::hw {

struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

// Sixteen bytes moved as one.
struct alignas(16) Vec16 {
  std::uint32_t word[4];
};

}  // namespace tilewright::hw
