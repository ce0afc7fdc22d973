// The order in which blocks take output tiles.
#pragma once

#include <cstdint>

namespace tilewright::layout {

// 32-bit on purpose: a block works this out once, and a 64-bit division costs it some 100 cycles.
struct TileGrid {
  std::uint32_t tiles_m, tiles_n, batch;

  constexpr std::uint64_t count() const {
    return static_cast<std::uint64_t>(tiles_m) * tiles_n * batch;
  }
};

struct Tile {
  std::uint32_t m, n, batch;
};

constexpr std::int64_t tiles_of(std::int64_t extent, int tile) {
  return extent / tile + (extent % tile != 0);
}

// Bands of kBandRows tile rows, each swept column by column: blocks that run together then share
// kBandRows tiles of A and a few of B in L2, instead of one of A and a whole row of B.
inline constexpr std::uint32_t kBandRows = 8;

constexpr Tile banded_tile(const TileGrid& grid, std::uint32_t index) {
  const std::uint32_t per_matrix = grid.tiles_m * grid.tiles_n;
  const std::uint32_t batch = index / per_matrix;
  const std::uint32_t in_matrix = index - batch * per_matrix;
  // Never taller than the matrix, or a very wide grid would overflow 32 bits here.
  const std::uint32_t band_rows = grid.tiles_m < kBandRows ? grid.tiles_m : kBandRows;
  const std::uint32_t per_band = band_rows * grid.tiles_n;
  const std::uint32_t band = in_matrix / per_band;
  const std::uint32_t in_band = in_matrix - band * per_band;
  const std::uint32_t rows_left = grid.tiles_m - band * kBandRows;
  const std::uint32_t rows = rows_left < kBandRows ? rows_left : kBandRows;
  return {band * kBandRows + in_band % rows, in_band / rows, batch};
}

static_assert(banded_tile({16, 4, 1}, 9).m == 1 && banded_tile({16, 4, 1}, 9).n == 1);
static_assert(banded_tile({9, 3, 2}, 27 + 25).m == 8 && banded_tile({9, 3, 2}, 27 + 25).n == 1);

}  // namespace tilewright::layout
