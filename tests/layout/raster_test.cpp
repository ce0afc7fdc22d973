#include "layout/raster.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <tuple>

namespace tilewright::layout {
namespace {

TEST(Raster, EveryTileIsTakenOnce) {
  for (const std::uint32_t tiles_m : {1u, 2u, 7u, 8u, 9u, 16u, 19u}) {
    for (const std::uint32_t tiles_n : {1u, 3u, 8u, 13u}) {
      const TileGrid grid{tiles_m, tiles_n, 3};
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
      for (std::uint32_t i = 0; i < grid.count(); ++i) {
        const Tile tile = banded_tile(grid, i);
        EXPECT_LT(tile.m, tiles_m);
        EXPECT_LT(tile.n, tiles_n);
        EXPECT_LT(tile.batch, grid.batch);
        seen.insert({tile.m, tile.n, tile.batch});
      }
      EXPECT_EQ(seen.size(), grid.count()) << tiles_m << " x " << tiles_n;
    }
  }
}

TEST(Raster, NeighboursInTimeShareABandOfRows) {
  const TileGrid grid{64, 64, 1};
  std::set<std::uint32_t> rows, columns;
  for (std::uint32_t i = 0; i < 264; ++i) {
    rows.insert(banded_tile(grid, i).m);
    columns.insert(banded_tile(grid, i).n);
  }
  EXPECT_EQ(rows.size(), kBandRows);
  EXPECT_EQ(columns.size(), 264 / kBandRows);
}

TEST(Raster, TheLargestGridsDoNotOverflow) {
  constexpr std::uint32_t kMost = 0x7fffffff;
  const Tile wide = banded_tile({1, kMost, 1}, kMost - 1);
  EXPECT_EQ(wide.m, 0u);
  EXPECT_EQ(wide.n, kMost - 1);
  const Tile tall = banded_tile({kMost, 1, 1}, kMost - 1);
  EXPECT_EQ(tall.m, kMost - 1);
  EXPECT_EQ(tall.n, 0u);
  const Tile many = banded_tile({1, 1, kMost}, kMost - 1);
  EXPECT_EQ(many.batch, kMost - 1);
}

TEST(Raster, TilesOfRoundsUp) {
  EXPECT_EQ(tiles_of(0, 128), 0);
  EXPECT_EQ(tiles_of(1, 128), 1);
  EXPECT_EQ(tiles_of(128, 128), 1);
  EXPECT_EQ(tiles_of(129, 128), 2);
  EXPECT_EQ(tiles_of(INT64_MAX, 128), INT64_MAX / 128 + 1);
}

}  // namespace
}  // namespace tilewright::layout
