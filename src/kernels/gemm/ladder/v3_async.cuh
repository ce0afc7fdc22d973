// v3 = v2 + cp.async into two stages.
// Removes: the wait for memory. The next tile is under way, past the registers, while this one is
// multiplied. Costs: twice the shared memory (37 KB with the padding), hence fewer blocks an SM.
//
// Takes what v2 takes.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tile/wmma_tile.cuh"

namespace tilewright::kernels::inline TW_TARGET {

// The sums of one tile. kWhole: no 16-byte chunk of A or B is cut by the matrix's edge.
template <bool kWhole, class In, class Out>
TW_DEVICE void v3_sum(tile::WmmaSums& sums, const tile::GemmParams<In, Out>& p,
                      const tile::BlockTile& at, int m_left, int n_left) {
  using W = tile::WmmaTile;
  const int k_tiles = static_cast<int>((p.k + W::kBlockK - 1) / W::kBlockK);
  const int k_tail = static_cast<int>(p.k - (k_tiles - 1) * std::int64_t{W::kBlockK});
  W::StreamA<In> a(p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row, p.a_strides.row,
                   {m_left, W::kBlockK}, {m_left, k_tail});
  W::StreamB<In> b(p.b + at.batch * p.b_strides.batch + at.n0, p.b_strides.row,
                   {W::kBlockK, n_left}, {k_tail, n_left});
  const auto stages = hw::dynamic_shared<In>();

  const auto stage_of = [&](int kt) { return stages + kt % 2 * W::kStageElements; };
  // Always closes a group, so that "all but the newest" below means the same to the last tile.
  const auto prefetch = [&](int kt) {
    if (kt < k_tiles) {
      const bool last = kt == k_tiles - 1;
      a.template copy_async<kWhole>(stage_of(kt), last);
      b.template copy_async<kWhole>(stage_of(kt) + W::kElementsA, last);
      a.advance(W::kBlockK);
      b.advance(W::kBlockK * p.b_strides.row);
    }
    hw::cp_async_commit();
  };

  prefetch(0);
  for (int kt = 0; kt < k_tiles; ++kt) {
    prefetch(kt + 1);
    hw::cp_async_wait<1>();  // tile kt is here, for this thread
    hw::sync_threads();      // and for all
    tile::multiply(sums, stage_of(kt));
    hw::sync_threads();  // before the next prefetch overwrites it
  }
}

template <class In, class Out>
TW_KERNEL(tile::WmmaTile::kThreads, 2)
gemm_v3_async(const tile::GemmParams<In, Out> p) {
  using W = tile::WmmaTile;
  const auto at = tile::block_tile<W::kBlockM, W::kBlockN>(p.grid);
  const int m_left = tile::left_in_tile(p.m - at.m0, W::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, W::kBlockN);
  tile::WmmaSums sums;
  if (p.k % 8 == 0 && p.n % 8 == 0) {
    v3_sum<true>(sums, p, at, m_left, n_left);
  } else {
    v3_sum<false>(sums, p, at, m_left, n_left);
  }
  tile::store_sums(sums, tile::output_tile(p, at, m_left, n_left), hw::dynamic_shared<float>());
}

}  // namespace tilewright::kernels::inline TW_TARGET
