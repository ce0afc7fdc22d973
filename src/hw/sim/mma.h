// mma.sync, simulated.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/sim/machine.h"
#include "hw/sim/products.h"

namespace tilewright::hw::sim {

// One warp's m16n8 product; `d` holds four floats, or four ints for int8.
void mma(ProductType type, const char* instruction, void* d, const std::uint32_t (&a)[4],
         std::uint32_t b0, std::uint32_t b1, Site at);

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                            std::uint32_t b1, sim::Site at = sim::Site::current());
template <>
TW_DEVICE void mma_m16n8k16<F16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                 std::uint32_t b1, sim::Site at) {
  sim::mma(sim::ProductType::kF16, "mma.m16n8k16.f16", d, a, b0, b1, at);
}
template <>
TW_DEVICE void mma_m16n8k16<BF16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1, sim::Site at) {
  sim::mma(sim::ProductType::kBF16, "mma.m16n8k16.bf16", d, a, b0, b1, at);
}
TW_DEVICE void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1, sim::Site at = sim::Site::current()) {
  sim::mma(sim::ProductType::kTF32, "mma.m16n8k8.tf32", d, a, b0, b1, at);
}
TW_DEVICE void mma_m16n8k32_s8(int (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                               std::uint32_t b1, sim::Site at = sim::Site::current()) {
  sim::mma(sim::ProductType::kS8, "mma.m16n8k32.s8", d, a, b0, b1, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
