// XOR swizzles of shared-memory tiles. Memory is 32 banks of 4 bytes, so 128 bytes are one pass;
// ldmatrix reads eight rows of 16 bytes at once and is free of conflicts when the eight 16-byte
// chunks lie in eight different slots of those 128 bytes.
#pragma once

namespace tilewright::layout {

inline constexpr int kChunkElements = 8;  // of 16 bits: one chunk is 16 bytes

// Element offset of chunk `chunk` of row `row` in a tile whose rows are 64 bytes (32 elements).
// Two rows share a pass, so the row pair picks the permutation.
constexpr int swizzle_64b(int row, int chunk) {
  return row * 32 + ((chunk ^ ((row >> 1) & 3)) * kChunkElements);
}

// The same for rows of 256 bytes (128 elements): every row starts at bank 0, so eight consecutive
// rows need eight permutations.
constexpr int swizzle_256b(int row, int chunk) {
  return row * 128 + ((chunk ^ (row & 7)) * kChunkElements);
}

static_assert(swizzle_64b(0, 0) == 0 && swizzle_64b(2, 0) == 2 * 32 + 8);
static_assert(swizzle_256b(1, 0) == 128 + 8 && swizzle_256b(9, 15) == 9 * 128 + 14 * 8);

}  // namespace tilewright::layout
