// Which tile of D a block works on.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/index.h"
#include "layout/raster.h"

namespace tilewright::tile {

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

}  // namespace tilewright::tile
