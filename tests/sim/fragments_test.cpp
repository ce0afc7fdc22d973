#include "hw/sim/fragments.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

// The maps against the PTX ISA's own formulas, which number the elements a0, a1, .. of a lane in
// the order of its registers and, inside one, from the lowest bits up.
namespace tilewright::hw::sim {
namespace {

using Map = std::function<Position(int lane, int element)>;

struct Matrix {
  std::string name;
  int lanes, elements;  // elements a lane
  int rows, columns;
  Map map, isa;
};

Map packed(Position (*map)(int, int, int, int), int bytes) {
  return [=](int lane, int i) { return map(lane, i * bytes / 4, i % (4 / bytes), bytes); };
}

int group(int lane) {
  return lane >> 2;
}
int in_group(int lane) {
  return lane & 3;
}

// "Matrix Fragments for mma.m16n8k16 with floating point type" (.f16, .bf16).
Position isa_a_16_bit(int lane, int i) {
  const bool upper = i < 2 || (4 <= i && i < 6);
  return {group(lane) + (upper ? 0 : 8), in_group(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Position isa_b_16_bit(int lane, int i) {
  return {in_group(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0), group(lane)};
}
// "Matrix Fragments for mma.m16n8k8" (.tf32).
Position isa_a_tf32(int lane, int i) {
  return {group(lane) + (i == 1 || i == 3 ? 8 : 0), in_group(lane) + (i >= 2 ? 4 : 0)};
}
Position isa_b_tf32(int lane, int i) {
  return {in_group(lane) + (i == 1 ? 4 : 0), group(lane)};
}
// "Matrix Fragments for mma.m16n8k32" (.s8, .e4m3, .e5m2).
Position isa_a_8_bit(int lane, int i) {
  const bool upper = i < 4 || (8 <= i && i < 12);
  return {group(lane) + (upper ? 0 : 8), in_group(lane) * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}
Position isa_b_8_bit(int lane, int i) {
  return {in_group(lane) * 4 + (i & 3) + (i >= 4 ? 16 : 0), group(lane)};
}
Position isa_c(int lane, int i) {
  return {group(lane) + (i < 2 ? 0 : 8), in_group(lane) * 2 + (i & 1)};
}
// "Register fragments for wgmma": row = 16 * warp + group + 8 * (i / 2 % 2).
Position isa_wgmma_d(int thread, int i) {
  const int lane = thread & 31;
  return {(thread >> 5) * 16 + group(lane) + ((i >> 1) & 1) * 8,
          (i >> 2) * 8 + in_group(lane) * 2 + (i & 1)};
}
Map isa_wgmma_a(Position (*in_warp)(int, int)) {
  return [=](int thread, int i) {
    const Position at = in_warp(thread & 31, i);
    return Position{(thread >> 5) * 16 + at.row, at.column};
  };
}

const Matrix kMatrices[] = {
    {"A of m16n8k16", 32, 8, 16, 16, packed(mma_a, 2), isa_a_16_bit},
    {"B of m16n8k16", 32, 4, 16, 8, packed(mma_b, 2), isa_b_16_bit},
    {"A of m16n8k8", 32, 4, 16, 8, packed(mma_a, 4), isa_a_tf32},
    {"B of m16n8k8", 32, 2, 8, 8, packed(mma_b, 4), isa_b_tf32},
    {"A of m16n8k32", 32, 16, 16, 32, packed(mma_a, 1), isa_a_8_bit},
    {"B of m16n8k32", 32, 8, 32, 8, packed(mma_b, 1), isa_b_8_bit},
    {"D of m16n8", 32, 4, 16, 8, mma_d, isa_c},
    {"D of m64n8", 128, 4, 64, 8, wgmma_accumulator, isa_wgmma_d},
    {"D of m64n256", 128, 128, 64, 256, wgmma_accumulator, isa_wgmma_d},
    {"A of m64k16", 128, 8, 64, 16, packed(wgmma_a_register, 2), isa_wgmma_a(isa_a_16_bit)},
    {"A of m64k8", 128, 4, 64, 8, packed(wgmma_a_register, 4), isa_wgmma_a(isa_a_tf32)},
    {"A of m64k32", 128, 16, 64, 32, packed(wgmma_a_register, 1), isa_wgmma_a(isa_a_8_bit)},
};

TEST(Fragments, EveryElementLiesWhereTheIsaPutsIt) {
  for (const Matrix& matrix : kMatrices) {
    for (int lane = 0; lane < matrix.lanes; ++lane) {
      for (int i = 0; i < matrix.elements; ++i) {
        const Position at = matrix.map(lane, i), wanted = matrix.isa(lane, i);
        ASSERT_EQ(std::pair(at.row, at.column), std::pair(wanted.row, wanted.column))
            << matrix.name << ", lane " << lane << ", element " << i;
      }
    }
  }
}

// The ISA's formulas above were typed by hand too.
TEST(Fragments, TheLanesHoldEachElementOnce) {
  for (const Matrix& matrix : kMatrices) {
    std::set<std::pair<int, int>> seen;
    for (int lane = 0; lane < matrix.lanes; ++lane) {
      for (int i = 0; i < matrix.elements; ++i) {
        const Position at = matrix.map(lane, i);
        EXPECT_TRUE(0 <= at.row && at.row < matrix.rows && 0 <= at.column &&
                    at.column < matrix.columns)
            << matrix.name << ", lane " << lane << ", element " << i;
        seen.insert({at.row, at.column});
      }
    }
    EXPECT_EQ(static_cast<int>(seen.size()), matrix.rows * matrix.columns) << matrix.name;
    EXPECT_EQ(matrix.lanes * matrix.elements, matrix.rows * matrix.columns) << matrix.name;
  }
}

}  // namespace
}  // namespace tilewright::hw::sim
