// v3 = v2 + cp.async into two stages.
// Removes: the wait for memory. The next tile is under way, past the registers, while this one is
// multiplied. Costs: twice the shared memory (37 KB with the padding), hence fewer blocks an SM.
//
// Takes what v2 takes.
#pragma once

#include "hw/attributes.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tile/wmma_tile.cuh"

namespace tilewright::kernels {

template <class In, class Out>
TW_KERNEL(tile::WmmaTile::kThreads, 2)
gemm_v3_async(const tile::GemmParams<In, Out> p) {
  using W = tile::WmmaTile;
  const auto at = tile::block_tile<W::kBlockM, W::kBlockN>(p.grid);
  const In* a = p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row;
  const In* b = p.b + at.batch * p.b_strides.batch + at.n0;
  const int m_left = tile::left_in_tile(p.m - at.m0, W::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, W::kBlockN);
  const auto stages = hw::dynamic_shared<In>();
  const int k_tiles = static_cast<int>((p.k + W::kBlockK - 1) / W::kBlockK);

  // Always closes a group, so that "all but the newest" below means the same to the last tile.
  const auto prefetch = [&](int kt) {
    if (kt < k_tiles) {
      const auto stage = stages + kt % 2 * W::kStageElements;
      const std::int64_t k0 = static_cast<std::int64_t>(kt) * W::kBlockK;
      const int k_left = tile::left_in_tile(p.k - k0, W::kBlockK);
      tile::copy_tile_async<W::MapA>(stage, a + k0, p.a_strides.row, m_left, k_left, W::offset_a);
      tile::copy_tile_async<W::MapB>(stage, b + k0 * p.b_strides.row, p.b_strides.row, k_left,
                                     n_left, W::offset_b);
    }
    hw::cp_async_commit();
  };

  tile::WmmaSums sums;
  prefetch(0);
  for (int kt = 0; kt < k_tiles; ++kt) {
    prefetch(kt + 1);
    hw::cp_async_wait<1>();  // tile kt is here, for this thread
    hw::sync_threads();      // and for all
    tile::multiply(sums, stages + kt % 2 * W::kStageElements);
    hw::sync_threads();  // before the next prefetch overwrites it
  }

  hw::cp_async_wait<0>();
  tile::store_sums(sums, tile::output_of(p, at.batch), at.m0, at.n0, hw::dynamic_shared<float>());
}

}  // namespace tilewright::kernels
