// stmatrix, simulated: lane l owns row l % 8 of matrix l / 8 and stores what the warp's registers
// hold of it.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/attributes.h"
#include "hw/shared.h"

namespace tilewright::hw::sim {

template <int kMatrices>
void store_matrices(const char* instruction, std::uint32_t offset,
                    const std::uint32_t (&r)[kMatrices], bool transposed, Site at) {
  Machine& machine = Machine::now();
  std::uint16_t row[8] = {};
  struct Operands {
    std::uint16_t* row;
    const std::uint32_t* r;
  } mine{row, r};
  machine.meet_warp(instruction, at, mine, [&](std::span<Operands*> lanes) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < kMatrices; ++i) {
        const std::size_t major = lane / 4, minor = lane % 4 * 2;
        for (std::size_t side = 0; side < 2; ++side) {
          const auto element = static_cast<std::uint16_t>(lanes[lane]->r[i] >> side * 16);
          (transposed ? lanes[i * 8 + minor + side]->row[major]
                      : lanes[i * 8 + major]->row[minor + side]) = element;
        }
      }
    }
  });
  if (machine.self().lane() < kMatrices * 8) {
    std::memcpy(machine.shared_for_write(*machine.self().block, offset, 16, at), row, 16);
  }
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void stmatrix_x1(Shared<T> row, const std::uint32_t (&r)[1],
                           sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x1", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void stmatrix_x2(Shared<T> row, const std::uint32_t (&r)[2],
                           sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x2", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void stmatrix_x4(Shared<T> row, const std::uint32_t (&r)[4],
                           sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x4", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void stmatrix_x1_trans(Shared<T> row, const std::uint32_t (&r)[1],
                                 sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x1.trans", row.offset, r, true, at);
}
template <class T>
TW_DEVICE void stmatrix_x2_trans(Shared<T> row, const std::uint32_t (&r)[2],
                                 sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x2.trans", row.offset, r, true, at);
}
template <class T>
TW_DEVICE void stmatrix_x4_trans(Shared<T> row, const std::uint32_t (&r)[4],
                                 sim::Site at = sim::Site::current()) {
  sim::store_matrices("stmatrix.x4.trans", row.offset, r, true, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
