#include "hw/sim/wmma.h"

#include <array>

namespace tilewright::hw::sim {
namespace {

constexpr int kSide = 16;

}  // namespace

std::uint32_t own_half_row(const char* instruction, std::uint32_t tile, int ld, int element_bytes,
                           Site at) {
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp(instruction, at, *self, [](std::span<Thread*>) {});
  const int lane = self->lane();
  return tile + static_cast<std::uint32_t>((lane / 2 * ld + lane % 2 * 8) * element_bytes);
}

void wmma(ProductType type, float (&d)[8], const std::uint16_t* a, const std::uint16_t* b,
          Site at) {
  struct Operands {
    float* d;
    const std::uint16_t *a, *b;
  } mine{d, a, b};
  Machine::now().meet_warp("wmma.mma", at, mine, [&](std::span<Operands*> lanes) {
    std::array<std::uint32_t, kSide * kSide> left, right;  // [m][k], [n][k]
    std::array<float, kSide * kSide> sums;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t row = lane / 2, column = lane % 2 * 8 + i;
        left[row * kSide + column] = lanes[lane]->a[i];
        right[column * kSide + row] = lanes[lane]->b[i];
        sums[row * kSide + column] = lanes[lane]->d[i];
      }
    }
    add_products(type, {kSide, kSide, kSide}, sums, left, right);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 8; ++i) lanes[lane]->d[i] = sums[lane * 8 + i];
    }
  });
}

}  // namespace tilewright::hw::sim
