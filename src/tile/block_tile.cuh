// Which tile of D a block works on.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/index.h"
#include "layout/raster.h"

namespace tilewright::tile::inline TW_TARGET {

struct BlockTile {
  std::int64_t m0, n0;  // its upper left element
  std::int64_t batch;
};

template <int kRows, int kColumns>
TW_DEVICE BlockTile block_tile(const layout::TileGrid& grid) {
  const layout::Tile tile = layout::banded_tile(grid, hw::block_index());
  return {static_cast<std::int64_t>(tile.m) * kRows, static_cast<std::int64_t>(tile.n) * kColumns,
          tile.batch};
}

// How many of `extent` elements a tile of `tile` still finds, as a cheap 32-bit number.
TW_DEVICE int left_in_tile(std::int64_t extent, int tile) {
  return extent < tile ? static_cast<int>(extent) : tile;
}

}  // namespace tilewright::tile::inline TW_TARGET
