#include "layout/shared_tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace tilewright::layout {
namespace {

// Chunks of a tile must not share a place, and must stay inside rows x pitch.
template <class Layout>
void expect_one_place_each(int rows, int chunks) {
  std::set<int> places;
  for (int row = 0; row < rows; ++row) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int at = Layout::offset(row, chunk);
      EXPECT_EQ(at % kChunkElements, 0);
      EXPECT_GE(at, 0);
      EXPECT_LT(at, rows * Layout::kPitch);
      places.insert(at);
    }
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(rows * chunks));
}

// ldmatrix reads eight rows of one chunk in one pass of 128 bytes: eight different slots of 16.
template <class Layout>
int worst_rows_on_one_slot(int rows, int chunks) {
  int worst = 0;
  for (int row = 0; row < rows; row += 8) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      int on_slot[8] = {};
      for (int r = 0; r < 8; ++r) {
        const int bytes = Layout::offset(row + r, chunk) * 2;
        worst = std::max(worst, ++on_slot[bytes / 16 % 8]);
      }
    }
  }
  return worst;
}

// What a thread that works out one offset and adds rows relies on.
template <class Layout>
void expect_period(int rows, int chunks) {
  for (int row = 0; row + Layout::kPeriod < rows; ++row) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      EXPECT_EQ(Layout::offset(row + Layout::kPeriod, chunk),
                Layout::offset(row, chunk) + Layout::kPeriod * Layout::kPitch);
    }
  }
}

TEST(SharedTile, EveryChunkHasOnePlace) {
  expect_one_place_each<Swizzle64>(128, 4);
  expect_one_place_each<Swizzle256>(32, 16);
  expect_one_place_each<Padded<32, 8>>(128, 4);
  expect_one_place_each<Padded<128, 8>>(32, 16);
}

TEST(SharedTile, LdmatrixMeetsNoConflict) {
  EXPECT_EQ(worst_rows_on_one_slot<Swizzle64>(128, 4), 1);
  EXPECT_EQ(worst_rows_on_one_slot<Swizzle256>(32, 16), 1);
  EXPECT_EQ((worst_rows_on_one_slot<Padded<32, 8>>(128, 4)), 1);
  EXPECT_EQ((worst_rows_on_one_slot<Padded<128, 8>>(32, 16)), 1);
  // And what they are for: without them every row of B meets at one slot.
  EXPECT_EQ((worst_rows_on_one_slot<Padded<128, 0>>(32, 16)), 8);
  EXPECT_EQ((worst_rows_on_one_slot<Padded<32, 0>>(128, 4)), 4);
}

TEST(SharedTile, PatternsRepeatAfterTheirPeriod) {
  expect_period<Swizzle64>(128, 4);
  expect_period<Swizzle256>(32, 16);
  expect_period<Padded<32, 8>>(128, 4);
}

}  // namespace
}  // namespace tilewright::layout
