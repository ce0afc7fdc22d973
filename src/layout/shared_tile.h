// Where a 16-byte chunk of a tile of 16-bit elements lies in shared memory.
//
// Memory is 32 banks of 4 bytes, so 128 bytes are one pass; ldmatrix reads eight rows of 16 bytes at
// once and is free of conflicts when its eight chunks lie in eight different slots of those 128
// bytes. Each layout gives the offset of chunk `chunk` of row `row` in elements, and the number of
// rows after which its pattern repeats: rows that far apart differ by kPitch a row and nothing else.
#pragma once

namespace tilewright::layout {

inline constexpr int kChunkElements = 8;

// Rows of kColumns elements with kPadding more behind them, so that they start at different banks.
template <int kColumns, int kPadding>
struct Padded {
  static constexpr int kPitch = kColumns + kPadding;
  static constexpr int kPeriod = 1;
  static constexpr int offset(int row, int chunk) { return row * kPitch + chunk * kChunkElements; }
};

// Rows of 64 bytes. Two rows share a pass, so the pair of rows picks the permutation.
struct Swizzle64 {
  static constexpr int kPitch = 32;
  static constexpr int kPeriod = 8;
  static constexpr int offset(int row, int chunk) {
    return row * kPitch + (chunk ^ ((row >> 1) & 3)) * kChunkElements;
  }
};

// Rows of 256 bytes. Every row starts at bank 0, so eight rows need eight permutations.
struct Swizzle256 {
  static constexpr int kPitch = 128;
  static constexpr int kPeriod = 8;
  static constexpr int offset(int row, int chunk) {
    return row * kPitch + (chunk ^ (row & 7)) * kChunkElements;
  }
};

static_assert(Swizzle64::offset(0, 0) == 0 && Swizzle64::offset(2, 0) == 2 * 32 + 8);
static_assert(Swizzle256::offset(1, 0) == 128 + 8 && Swizzle256::offset(9, 15) == 9 * 128 + 14 * 8);

}  // namespace tilewright::layout
