// Which element of a matrix a lane's register holds, for the tensor-core instructions. With
// g = lane / 4 and t = lane % 4, and words that hold `4 / bytes` elements.
#pragma once

namespace tilewright::hw::sim {

struct Position {
  int row, column;
};

// A of mma.sync m16n8, four words a lane, and of a wgmma from registers for its warp's 16 rows:
// rows g and g + 8 in turn, then the second half of k.
constexpr Position mma_a(int lane, int word, int part, int bytes) {
  const int per_word = 4 / bytes;
  return {lane / 4 + word % 2 * 8, lane % 4 * per_word + part + word / 2 * 4 * per_word};
}
// B, two words a lane; row is k.
constexpr Position mma_b(int lane, int word, int part, int bytes) {
  const int per_word = 4 / bytes;
  return {lane % 4 * per_word + part + word * 4 * per_word, lane / 4};
}
// The sums, four a lane.
constexpr Position mma_d(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// m64nN: warp w of the four has rows 16w.. and the same order inside, eight columns after eight.
constexpr Position wgmma_accumulator(int thread, int i) {
  const Position in_warp = mma_d(thread % 32, i % 4);
  return {thread / 32 * 16 + in_warp.row, i / 4 * 8 + in_warp.column};
}
constexpr Position wgmma_a_register(int thread, int word, int part, int bytes) {
  const Position in_warp = mma_a(thread % 32, word, part, bytes);
  return {thread / 32 * 16 + in_warp.row, in_warp.column};
}

static_assert(mma_a(5, 3, 1, 2).row == 9 && mma_a(5, 3, 1, 2).column == 11);
static_assert(mma_b(5, 1, 0, 2).row == 10 && mma_b(5, 1, 0, 2).column == 1);
static_assert(mma_a(6, 2, 3, 1).row == 1 && mma_a(6, 2, 3, 1).column == 27);
static_assert(mma_b(6, 1, 0, 4).row == 6 && mma_b(6, 1, 0, 4).column == 1);
static_assert(wgmma_accumulator(37, 7).row == 16 + 1 + 8 && wgmma_accumulator(37, 7).column == 11);

}  // namespace tilewright::hw::sim
