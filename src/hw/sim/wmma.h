// WMMA, simulated. The hardware keeps the layout of its fragments to itself, so this one is our
// own: lane l holds half of row l / 2.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/shared.h"
#include "hw/sim/products.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct WmmaA {
  T element[8];
};
template <class T>
struct WmmaB {
  T element[8];
};
struct WmmaAccumulator {
  float element[8];
};

}  // namespace tilewright::hw::inline TW_TARGET

namespace tilewright::hw::sim {

void wmma(ProductType type, float (&d)[8], const std::uint16_t* a, const std::uint16_t* b, Site at);
// Eight elements of this lane's half row of a 16 x 16 tile, after the whole warp has met.
std::uint32_t own_half_row(const char* instruction, std::uint32_t tile, int ld, int element_bytes,
                           Site at);

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE void wmma_zero(WmmaAccumulator& d) {
  for (float& each : d.element) each = 0;
}

template <class T, class Fragment>
TW_DEVICE void wmma_load(Fragment& fragment, Shared<T> tile, int ld,
                         sim::Site at = sim::Site::current()) {
  sim::Machine& machine = sim::Machine::now();
  const std::uint32_t own = sim::own_half_row("wmma.load", tile.offset, ld, sizeof(T), at);
  std::memcpy(fragment.element, machine.shared_for_read(*machine.self().block, own, 16, at), 16);
}

template <class T>
TW_DEVICE void wmma_multiply(WmmaAccumulator& d, const WmmaA<T>& a, const WmmaB<T>& b,
                             sim::Site at = sim::Site::current()) {
  constexpr auto kType = std::is_same_v<T, F16> ? sim::ProductType::kF16 : sim::ProductType::kBF16;
  sim::wmma(kType, d.element, &a.element[0].bits, &b.element[0].bits, at);
}

TW_DEVICE void wmma_store(Shared<float> tile, const WmmaAccumulator& d, int ld,
                          sim::Site at = sim::Site::current()) {
  sim::Machine& machine = sim::Machine::now();
  const std::uint32_t own = sim::own_half_row("wmma.store", tile.offset, ld, 4, at);
  for (std::uint32_t half = 0; half < 2; ++half) {
    std::memcpy(machine.shared_for_write(*machine.self().block, own + half * 16, 16, at),
                d.element + half * 4, 16);
  }
}

}  // namespace tilewright::hw::inline TW_TARGET
