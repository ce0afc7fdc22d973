// wgmma, simulated.
#pragma once

#include <cstdint>
#include <type_traits>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/shared.h"
#include "hw/sim/wgmma_state.h"
#include "hw/wgmma_types.h"

namespace tilewright::hw::sim {

template <class T>
constexpr ProductType product_type() {
  if constexpr (std::is_same_v<T, F16>) return ProductType::kF16;
  if constexpr (std::is_same_v<T, BF16>) return ProductType::kBF16;
  if constexpr (std::is_same_v<T, TF32>) return ProductType::kTF32;
  if constexpr (std::is_same_v<T, E4M3>) return ProductType::kE4M3;
  if constexpr (std::is_same_v<T, E5M2>) return ProductType::kE5M2;
  return ProductType::kS8;
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE WgmmaDescriptor wgmma_descriptor(Shared<T> tile, int leading_bytes, int stride_bytes,
                                           WgmmaSwizzle swizzle) {
  return make_wgmma_descriptor(tile.address(), leading_bytes, stride_bytes, swizzle);
}

template <class T, int kN, Major kA = Major::kK, Major kB = Major::kK, class Sum, std::size_t kSums>
TW_DEVICE void wgmma(Sum (&d)[kSums], WgmmaDescriptor a, WgmmaDescriptor b, bool accumulate,
                     sim::Site at = sim::Site::current()) {
  static_assert(kSums == kN / 2 && kN % 8 == 0 && kN >= 8 && kN <= 256);
  sim::wgmma({sim::product_type<T>(), kN, kA, kB, false},
             {reinterpret_cast<std::uint32_t*>(d), nullptr, a.bits, b.bits, accumulate}, at);
}
template <class T, int kN, Major kB = Major::kK, class Sum, std::size_t kSums>
TW_DEVICE void wgmma(Sum (&d)[kSums], const std::uint32_t (&a)[4], WgmmaDescriptor b,
                     bool accumulate, sim::Site at = sim::Site::current()) {
  static_assert(kSums == kN / 2 && kN % 8 == 0 && kN >= 8 && kN <= 256);
  sim::wgmma({sim::product_type<T>(), kN, Major::kK, kB, true},
             {reinterpret_cast<std::uint32_t*>(d), a, 0, b.bits, accumulate}, at);
}

TW_DEVICE void wgmma_fence(sim::Site at = sim::Site::current()) {
  sim::wgmma_fence(at);
}
TW_DEVICE void wgmma_commit(sim::Site at = sim::Site::current()) {
  sim::wgmma_commit(at);
}
template <int kPending>
TW_DEVICE void wgmma_wait(sim::Site at = sim::Site::current()) {
  sim::wgmma_wait(kPending, at);
}
// Binds the registers to the order of the text, which the host's compiler keeps anyway.
template <class Sum, std::size_t kSums>
TW_DEVICE void wgmma_hold(Sum (&)[kSums]) {}

}  // namespace tilewright::hw::inline TW_TARGET
