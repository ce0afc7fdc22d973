// v2 = v1 + tensor cores through WMMA, in three levels: block 128 x 128 x 32, warp 64 x 32, MMA
// 16 x 16 x 16.
// Removes: the arithmetic limit of the fp32 units; one instruction multiplies 16 x 16 x 16.
// Costs: tiles still come through registers, and the tensor cores wait for every one of them.
//
// Takes A [M,K] and B [K,N], D [M,N] row-major, every row 16-byte aligned; any M, N, K.
#pragma once

#include "hw/attributes.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tile/wmma_tile.cuh"

namespace tilewright::kernels {

template <class In, class Out>
TW_KERNEL(tile::WmmaTile::kThreads, 2)
gemm_v2_wmma(const tile::GemmParams<In, Out> p) {
  using W = tile::WmmaTile;
  const auto at = tile::block_tile<W::kBlockM, W::kBlockN>(p.grid);
  const In* a = p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row;
  const In* b = p.b + at.batch * p.b_strides.batch + at.n0;
  const int m_left = tile::left_in_tile(p.m - at.m0, W::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, W::kBlockN);
  const auto stage = hw::dynamic_shared<In>();

  tile::WmmaSums sums;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += W::kBlockK) {
    const int k_left = tile::left_in_tile(p.k - k0, W::kBlockK);
    hw::Vec16 r_a[W::MapA::kSteps], r_b[W::MapB::kSteps];
    tile::load_tile<W::MapA>(r_a, a + k0, p.a_strides.row, m_left, k_left);
    tile::load_tile<W::MapB>(r_b, b + k0 * p.b_strides.row, p.b_strides.row, k_left, n_left);
    hw::sync_threads();  // nobody reads the last tile any more
    tile::store_tile<W::MapA>(stage, r_a, W::offset_a);
    tile::store_tile<W::MapB>(stage, r_b, W::offset_b);
    hw::sync_threads();
    tile::multiply(sums, stage);
  }

  hw::sync_threads();  // the stage becomes the epilogue's scratch
  tile::store_sums(sums, tile::output_of(p, at.batch), at.m0, at.n0, hw::dynamic_shared<float>());
}

}  // namespace tilewright::kernels
