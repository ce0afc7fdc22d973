// Element types as kernels hold them: bits and nothing else.
#pragma once

#include <cstdint>

namespace tilewright::hw {

struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};
struct TF32 {
  std::uint32_t bits;  // an fp32 whose lower 13 bits the tensor cores do not look at
};
struct E4M3 {
  std::uint8_t bits;
};
struct E5M2 {
  std::uint8_t bits;
};

// Sixteen bytes moved as one.
struct alignas(16) Vec16 {
  std::uint32_t word[4];
};

}  // namespace tilewright::hw
