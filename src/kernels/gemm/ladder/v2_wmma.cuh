// v2 = v1 + tensor cores through WMMA, in three levels: block 128 x 128 x 32, warp 64 x 32, MMA
// 16 x 16 x 16.
// Removes: the arithmetic limit of the fp32 units; one instruction multiplies 16 x 16 x 16.
// Costs: tiles still come through registers, and the tensor cores wait for every one of them.
//
// Takes A [M,K] and B [K,N], D [M,N] row-major, every row 16-byte aligned; any M, N, K.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tile/wmma_tile.cuh"

namespace tilewright::kernels::inline TW_TARGET {

template <class In, class Out>
TW_KERNEL(tile::WmmaTile::kThreads, 2)
gemm_v2_wmma(const tile::GemmParams<In, Out> p) {
  using W = tile::WmmaTile;
  const auto at = tile::block_tile<W::kBlockM, W::kBlockN>(p.grid);
  const int k_tiles = static_cast<int>((p.k + W::kBlockK - 1) / W::kBlockK);
  const int k_tail = static_cast<int>(p.k - (k_tiles - 1) * std::int64_t{W::kBlockK});
  const int m_left = tile::left_in_tile(p.m - at.m0, W::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, W::kBlockN);
  W::StreamA<In> a(p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row, p.a_strides.row,
                   {m_left, W::kBlockK}, {m_left, k_tail});
  W::StreamB<In> b(p.b + at.batch * p.b_strides.batch + at.n0, p.b_strides.row,
                   {W::kBlockK, n_left}, {k_tail, n_left});
  const auto stage = hw::dynamic_shared<In>();

  tile::WmmaSums sums;
  for (int kt = 0; kt < k_tiles; ++kt) {
    const int k_left = kt == k_tiles - 1 ? k_tail : W::kBlockK;
    hw::sync_threads();  // nobody reads the last tile any more
    a.copy(stage, {m_left, k_left});
    b.copy(stage + W::kElementsA, {k_left, n_left});
    a.advance(W::kBlockK);
    b.advance(W::kBlockK * p.b_strides.row);
    hw::sync_threads();
    tile::multiply(sums, stage);
  }

  hw::sync_threads();  // the stage becomes the epilogue's scratch
  tile::store_sums(sums, tile::output_tile(p, at, m_left, n_left), hw::dynamic_shared<float>());
}

}  // namespace tilewright::kernels::inline TW_TARGET
