// The first Hopper kernel: TMA fills a ring of stages, wgmma empties it.
//
// One warp of the first warpgroup asks for tiles, two warpgroups multiply, 64 x 128 each. Two
// blocks of a cluster work below each other and share every tile of B: each fetches half of it and
// multicasts that to both. Plain on purpose: one tile a block, products are waited for stage by
// stage, sums go from registers straight to D.
//
// Takes A [M,K], B [N,K], D [M,N], every row 16-byte aligned; any M, N, K.
#pragma once

#include "hw/attributes.h"
#include "hw/cluster.h"
#include "hw/fence.h"
#include "hw/mbarrier.h"
#include "hw/registers.h"
#include "hw/shared.h"
#include "hw/tma.h"
#include "hw/warp.h"
#include "hw/wgmma.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"

namespace tilewright::kernels::inline TW_TARGET {

struct Sm90Ring {
  static constexpr int kBlockM = 128, kBlockN = 128, kBlockK = 64;  // a row of a stage is 128 bytes
  static constexpr int kCluster = 2, kStages = 4;
  static constexpr int kWarpgroupM = 64, kConsumers = kBlockM / kWarpgroupM;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  static constexpr int kElementsA = kBlockM * kBlockK, kElementsB = kBlockN * kBlockK;
  static constexpr int kPartB = kBlockN / kCluster;  // rows of B that a block fetches for both
  static constexpr int kStageElements = kElementsA + kElementsB;
  static constexpr int kStageBytes = kStageElements * 2;
  static constexpr int kSharedBytes = kStages * kStageBytes + 2 * kStages * 8;
  static constexpr int kReleases = kCluster * kConsumers * 4;  // a warp of every block tells
  static constexpr int kSums = kBlockN / 2;                    // of a thread
};

template <class In, class Out>
struct Sm90RingParams {
  tile::GemmParams<In, Out> gemm;  // its grid counts clusters
  hw::TensorMap a, b;              // boxes of kBlockM and kPartB rows
};

// Where the ring stands: the stage, and the parity of the phase in which it is filled.
struct RingPosition {
  int stage = 0;
  unsigned parity = 0;

  TW_DEVICE void advance() {
    if (++stage == Sm90Ring::kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// A stage's barriers: `full` when its bytes have arrived, `empty` when every warp that reads what
// this block writes, here and in the other block, has done so.
TW_DEVICE hw::Mbarrier full_barrier(int stage) {
  return hw::dynamic_shared<std::uint64_t>(Sm90Ring::kStages * Sm90Ring::kStageBytes) + stage;
}
TW_DEVICE hw::Mbarrier empty_barrier(int stage) {
  return full_barrier(Sm90Ring::kStages + stage);
}

template <class In, class Out>
TW_DEVICE void sm90_ring_produce(const Sm90RingParams<In, Out>& p, const tile::BlockTile& at,
                                 int k_tiles) {
  using R = Sm90Ring;
  const int rank = hw::cluster_rank();
  constexpr std::uint16_t kBoth = (1 << R::kCluster) - 1;
  const auto m = static_cast<int>(at.m0), batch = static_cast<int>(at.batch);
  const int n = static_cast<int>(at.n0) + rank * R::kPartB;
  RingPosition ring;
  for (int kt = 0; kt < k_tiles; ++kt, ring.advance()) {
    const auto stage = hw::dynamic_shared<In>() + ring.stage * R::kStageElements;
    const auto full = full_barrier(ring.stage);
    hw::mbarrier_wait(empty_barrier(ring.stage), ring.parity ^ 1);
    hw::mbarrier_arrive_expect_tx(full, R::kStageBytes);
    hw::tma_load(stage, p.a, full, hw::TensorAt{kt * R::kBlockK, m, batch});
    hw::tma_load_multicast(stage + R::kElementsA + rank * R::kPartB * R::kBlockK, p.b, full,
                           hw::TensorAt{kt * R::kBlockK, n, batch}, kBoth);
  }
}

template <class In>
TW_DEVICE void sm90_ring_consume(float (&sums)[Sm90Ring::kSums], int consumer, int k_tiles) {
  using R = Sm90Ring;
  constexpr int kAtomBytes = 8 * 128;  // eight rows of a swizzled tile
  RingPosition ring;
  for (int kt = 0; kt < k_tiles; ++kt, ring.advance()) {
    const auto stage = hw::dynamic_shared<In>() + ring.stage * R::kStageElements;
    const auto a = hw::wgmma_descriptor(stage + consumer * R::kWarpgroupM * R::kBlockK, 0,
                                        kAtomBytes, hw::WgmmaSwizzle::k128);
    const auto b =
        hw::wgmma_descriptor(stage + R::kElementsA, 0, kAtomBytes, hw::WgmmaSwizzle::k128);
    hw::mbarrier_wait(full_barrier(ring.stage), ring.parity);
    hw::wgmma_fence();
#pragma unroll
    for (int k = 0; k < R::kBlockK; k += 16) {
      hw::wgmma<In, R::kBlockN>(sums, a + k * 2, b + k * 2, true);
    }
    hw::wgmma_commit();
    hw::wgmma_wait<0>();
    // One lane tells each block: the stage's A is this block's, its B came from both.
    if (hw::lane_index() < R::kCluster) {
      hw::mbarrier_arrive_remote(empty_barrier(ring.stage), hw::lane_index());
    }
  }
  hw::wgmma_hold(sums);
}

template <class In, class Out>
TW_DEVICE void sm90_ring_store(const Sm90RingParams<In, Out>& p, const tile::BlockTile& at,
                               float (&sums)[Sm90Ring::kSums], int consumer) {
  using R = Sm90Ring;
  const int rows = tile::left_in_tile(p.gemm.m - at.m0, R::kBlockM);
  const int columns = tile::left_in_tile(p.gemm.n - at.n0, R::kBlockN);
  const auto out = tile::output_tile(p.gemm, at, rows, columns);
  const int warp_m = consumer * R::kWarpgroupM + hw::warp_index() % 4 * 16;
  // Registers 4j .. 4j + 3 hold columns 8j + 2t and its neighbour of rows g and g + 8.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int j0 = 0; j0 < R::kBlockN / 8; j0 += 4) {
      float quads[4][2];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        quads[j][0] = sums[(j0 + j) * 4 + half * 2];
        quads[j][1] = sums[(j0 + j) * 4 + half * 2 + 1];
      }
      tile::store_quads(out, warp_m + half * 8 + hw::lane_index() / 4, j0 * 8, quads);
    }
  }
}

template <class In, class Out>
TW_KERNEL(Sm90Ring::kThreads, 1)
gemm_sm90_ring(const TW_GRID_CONSTANT Sm90RingParams<In, Out> p) {
  using R = Sm90Ring;
  const auto pair = layout::banded_tile(p.gemm.grid, hw::cluster_index());
  const tile::BlockTile at = {
      (std::int64_t{pair.m} * R::kCluster + hw::cluster_rank()) * R::kBlockM,
      std::int64_t{pair.n} * R::kBlockN, pair.batch};
  const auto k_tiles = static_cast<int>((p.gemm.k + R::kBlockK - 1) / R::kBlockK);
  if (hw::thread_index() == 0) {
    for (int stage = 0; stage < R::kStages; ++stage) {
      hw::mbarrier_init(full_barrier(stage), 1);
      hw::mbarrier_init(empty_barrier(stage), R::kReleases);
    }
    hw::fence_mbarrier_init();
  }
  hw::cluster_sync();  // both blocks' barriers are there before anything arrives at them

  const int warpgroup = hw::warp_index() / 4;
  if (warpgroup == 0) {
    hw::registers_decrease<40>();
    if (hw::warp_index() == 0 && hw::elect_one()) sm90_ring_produce(p, at, k_tiles);
  } else {
    hw::registers_increase<232>();
    float sums[R::kSums] = {};
    sm90_ring_consume<In>(sums, warpgroup - 1, k_tiles);
    sm90_ring_store(p, at, sums, warpgroup - 1);
  }
  hw::cluster_sync();  // a block that has ended can be told nothing
}

}  // namespace tilewright::kernels::inline TW_TARGET
