// ldmatrix, simulated: lane l reads row l % 8 of matrix l / 8, then everybody gets his elements.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/attributes.h"
#include "hw/shared.h"

namespace tilewright::hw::sim {

template <int kMatrices>
void load_matrices(const char* instruction, std::uint32_t offset, std::uint32_t (&r)[kMatrices],
                   bool transposed, Site at) {
  Machine& machine = Machine::now();
  // Each lane answers for the row that it points to; lanes beyond the matrices point to nothing.
  std::uint16_t row[8] = {};
  if (machine.self().lane() < kMatrices * 8) {
    std::memcpy(row, machine.shared_for_read(*machine.self().block, offset, 16, at), 16);
  }
  struct Operands {
    const std::uint16_t* row;
    std::uint32_t* r;
  } mine{row, r};
  machine.meet_warp(instruction, at, mine, [&](std::span<Operands*> lanes) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < kMatrices; ++i) {
        const std::size_t major = lane / 4, minor = lane % 4 * 2;
        const auto element = [&](std::size_t side) -> std::uint32_t {
          return transposed ? lanes[i * 8 + minor + side]->row[major]
                            : lanes[i * 8 + major]->row[minor + side];
        };
        lanes[lane]->r[i] = element(0) | element(1) << 16;
      }
    }
  });
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void ldmatrix_x1(std::uint32_t (&r)[1], Shared<T> row,
                           sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x1", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void ldmatrix_x2(std::uint32_t (&r)[2], Shared<T> row,
                           sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x2", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], Shared<T> row,
                           sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x4", row.offset, r, false, at);
}
template <class T>
TW_DEVICE void ldmatrix_x1_trans(std::uint32_t (&r)[1], Shared<T> row,
                                 sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x1.trans", row.offset, r, true, at);
}
template <class T>
TW_DEVICE void ldmatrix_x2_trans(std::uint32_t (&r)[2], Shared<T> row,
                                 sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x2.trans", row.offset, r, true, at);
}
template <class T>
TW_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], Shared<T> row,
                                 sim::Site at = sim::Site::current()) {
  sim::load_matrices("ldmatrix.x4.trans", row.offset, r, true, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
