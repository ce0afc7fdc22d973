// The three levels of a WMMA product: block tile 128 x 128 x 32, warp tile 64 x 32, MMA 16 x 16
// x 16.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "hw/wmma.h"
#include "tile/chunk_stream.cuh"
#include "tile/epilogue.cuh"

namespace tilewright::tile::inline TW_TARGET {

struct WmmaTile {
  static constexpr int kBlockM = 128, kBlockN = 128, kBlockK = 32;
  static constexpr int kWarpM = 64, kWarpN = 32;
  static constexpr int kThreads = 256;
  // Eight elements of padding a row: without them every row of B starts at the same bank.
  using LayoutA = layout::Padded<kBlockK, 8>;
  using LayoutB = layout::Padded<kBlockN, 8>;
  static constexpr int kElementsA = kBlockM * LayoutA::kPitch;
  static constexpr int kStageElements = kElementsA + kBlockK * LayoutB::kPitch;  // A, then B
  static constexpr int kStageBytes = kStageElements * 2;

  template <class T>
  using StreamA = ChunkStream<T, kBlockM, kBlockK, kThreads, LayoutA>;
  template <class T>
  using StreamB = ChunkStream<T, kBlockK, kBlockN, kThreads, LayoutB>;

  static TW_DEVICE int warp_m() { return hw::warp_index() / (kBlockN / kWarpN) * kWarpM; }
  static TW_DEVICE int warp_n() { return hw::warp_index() % (kBlockN / kWarpN) * kWarpN; }
};

struct WmmaSums {
  hw::WmmaAccumulator tile[WmmaTile::kWarpM / 16][WmmaTile::kWarpN / 16];

  TW_DEVICE WmmaSums() {
    for (auto& row : tile) {
      for (auto& each : row) hw::wmma_zero(each);
    }
  }
};

// Adds the product of one stage.
template <class T>
TW_DEVICE void multiply(WmmaSums& sums, hw::Shared<T> stage) {
  using W = WmmaTile;
  constexpr int kRows = W::kWarpM / 16, kColumns = W::kWarpN / 16;
#pragma unroll 1  // both steps at once would spill in bf16
  for (int k = 0; k < W::kBlockK; k += 16) {
    hw::WmmaB<T> b[kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      hw::wmma_load(
          b[j],
          stage + W::kElementsA + W::LayoutB::offset(k, (W::warp_n() + j * 16) / kChunkElements),
          W::LayoutB::kPitch);
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      hw::WmmaA<T> a;
      hw::wmma_load(a, stage + W::LayoutA::offset(W::warp_m() + i * 16, k / kChunkElements),
                    W::LayoutA::kPitch);
#pragma unroll
      for (int j = 0; j < kColumns; ++j) hw::wmma_multiply<T>(sums.tile[i][j], a, b[j]);
    }
  }
}

// A WMMA accumulator's layout is the hardware's secret, so a row of 16 x 16 tiles passes through a
// warp's own piece of shared memory, where a lane picks up 8 neighbours of rows l / 4 and l / 4
// + 8.
struct WmmaScratch {
  static constexpr int kPitch = WmmaTile::kWarpN + 4;  // rows of a quarter warp in different banks
  static constexpr int kFloats = 16 * kPitch;
  static_assert(WmmaTile::kThreads / 32 * kFloats * 4 <= WmmaTile::kStageBytes,
                "the scratch of all warps must fit in one stage");
};

template <class Out>
TW_DEVICE void store_sums(const WmmaSums& sums, const OutputTile<Out>& out,
                          hw::Shared<float> scratch) {
  using W = WmmaTile;
  constexpr int kPitch = WmmaScratch::kPitch;
  const auto own = scratch + hw::warp_index() * WmmaScratch::kFloats;
  const int column = hw::lane_index() % 4 * 8;
#pragma unroll
  for (int i = 0; i < W::kWarpM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < W::kWarpN / 16; ++j) {
      hw::wmma_store(own + j * 16, sums.tile[i][j], kPitch);
    }
    hw::sync_warp();
#pragma unroll
    for (int row = hw::lane_index() / 4; row < 16; row += 8) {
      float values[8];
      hw::load_eight(values, own + row * kPitch + column);
      store_eight(out, W::warp_m() + i * 16 + row, W::warp_n() + column, values);
    }
    hw::sync_warp();
  }
}

}  // namespace tilewright::tile::inline TW_TARGET
