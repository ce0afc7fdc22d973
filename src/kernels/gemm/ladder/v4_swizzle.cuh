// v4 = v3 + an XOR swizzle, with ldmatrix and mma.sync by hand.
// Removes: bank conflicts and the padding that fought them (37 -> 32 KB), and WMMA's secret layout:
// sums go from registers straight to D. Costs: index maths, which is paid once a block and not once
// a K tile, or short K would drown in it (facts.md#ladder).
//
// Takes A [M,K] and B [K,N] or [N,K], D [M,N] row-major, every row 16-byte aligned; any M, N, K.
#pragma once

#include "hw/attributes.h"
#include "hw/ldmatrix.h"
#include "hw/mma.h"
#include "tile/block_tile.cuh"
#include "tile/chunk_copy.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tilewright/gemm.h"

namespace tilewright::kernels {

struct V4 {
  static constexpr int kBlockM = 128, kBlockN = 128, kBlockK = 32;
  static constexpr int kWarpM = 64, kWarpN = 32;
  static constexpr int kThreads = 256;
  static constexpr int kRows = kWarpM / 16, kColumns = kWarpN / 8;  // MMAs of a warp
  static constexpr int kElementsA = kBlockM * kBlockK;
  static constexpr int kStageElements = kElementsA + kBlockN * kBlockK;  // A, then B
  static constexpr int kSharedBytes = 2 * kStageElements * 2;

  using MapA = tile::ChunkMap<kBlockM, kBlockK, kThreads>;
  using MapBRows = tile::ChunkMap<kBlockK, kBlockN, kThreads>;     // B [K,N]
  using MapBColumns = tile::ChunkMap<kBlockN, kBlockK, kThreads>;  // B [N,K]
};

// Where a lane points ldmatrix, as offsets into a stage; what is left to the loop is adding
// constants.
template <Order kOrderB>
struct V4Lanes {
  int a[2], b[2];  // A: by k16 step. B [K,N]: by pair of MMA columns; B [N,K]: by k16 step

  TW_DEVICE V4Lanes() {
    const int lane = hw::lane_index(), warp = hw::warp_index();
    const int warp_m = warp / (V4::kBlockN / V4::kWarpN) * V4::kWarpM;
    const int warp_n = warp % (V4::kBlockN / V4::kWarpN) * V4::kWarpN;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a[i] = layout::swizzle_64b(warp_m + lane % 16, i * 2 + lane / 16);
      b[i] = V4::kElementsA +
             (kOrderB == Order::kRowMajor
                  ? layout::swizzle_256b(lane % 16, warp_n / 8 + i * 2 + lane / 16)
                  : layout::swizzle_64b(warp_n + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
    }
  }
  TW_DEVICE int offset_a(int row, int k_step) const {
    return a[k_step] + row * 16 * V4::kBlockK;
  }
  TW_DEVICE int offset_b(int pair, int k_step) const {
    return kOrderB == Order::kRowMajor ? b[pair] + k_step * 16 * V4::kBlockN
                                       : b[k_step] + pair * 16 * V4::kBlockK;
  }
};

template <class In, Order kOrderB>
TW_DEVICE void v4_multiply(float (&sums)[V4::kRows][V4::kColumns][4], hw::Shared<In> stage,
                           const V4Lanes<kOrderB>& lanes) {
#pragma unroll
  for (int k_step = 0; k_step < V4::kBlockK / 16; ++k_step) {
    std::uint32_t a[V4::kRows][4], b[V4::kColumns / 2][4];
#pragma unroll
    for (int i = 0; i < V4::kRows; ++i) {
      hw::ldmatrix_x4(a[i], stage + lanes.offset_a(i, k_step));
    }
#pragma unroll
    for (int j = 0; j < V4::kColumns / 2; ++j) {
      if constexpr (kOrderB == Order::kRowMajor) {
        hw::ldmatrix_x4_trans(b[j], stage + lanes.offset_b(j, k_step));
      } else {
        hw::ldmatrix_x4(b[j], stage + lanes.offset_b(j, k_step));
      }
    }
#pragma unroll
    for (int i = 0; i < V4::kRows; ++i) {
#pragma unroll
      for (int j = 0; j < V4::kColumns; ++j) {
        hw::mma_m16n8k16<In>(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// 16-bit D: a quad exchanges its words so that every lane stores 16 bytes and a row gets 64.
template <class Out>
TW_DEVICE void v4_store(const float (&sums)[V4::kRows][V4::kColumns][4],
                        const tile::Output<Out>& out, std::int64_t m0, std::int64_t n0) {
  const int quad_row = hw::lane_index() / 4, in_quad = hw::lane_index() % 4;
#pragma unroll
  for (int i = 0; i < V4::kRows; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = m0 + i * 16 + half * 8 + quad_row;
      if constexpr (sizeof(Out) == 4) {
#pragma unroll
        for (int j = 0; j < V4::kColumns; ++j) {
          tile::store_pair(out, row, n0 + j * 8 + in_quad * 2, sums[i][j][half * 2],
                           sums[i][j][half * 2 + 1]);
        }
      } else {
        hw::Vec16 words;
#pragma unroll
        for (int j = 0; j < V4::kColumns; ++j) {
          const std::int64_t column = n0 + j * 8 + in_quad * 2;
          words.word[j] = hw::pack_pair<Out>(out.scaled(sums[i][j][half * 2], row, column),
                                             out.scaled(sums[i][j][half * 2 + 1], row, column + 1));
        }
        tile::transpose_in_quad(words);
        tile::store_words(out, row, n0 + in_quad * 8, words);
      }
    }
  }
}

template <class In, class Out, Order kOrderB>
TW_KERNEL(V4::kThreads, 2)
gemm_v4_swizzle(const tile::GemmParams<In, Out> p) {
  const auto at = tile::block_tile<V4::kBlockM, V4::kBlockN>(p.grid);
  const In* a = p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row;
  const In* b = p.b + at.batch * p.b_strides.batch + at.n0 * p.b_strides.col;
  const int m_left = tile::left_in_tile(p.m - at.m0, V4::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, V4::kBlockN);
  const auto stages = hw::dynamic_shared<In>();
  const int k_tiles = static_cast<int>((p.k + V4::kBlockK - 1) / V4::kBlockK);

  // Always closes a group, so that "all but the newest" below means the same to the last tile.
  const auto prefetch = [&](int kt) {
    if (kt < k_tiles) {
      const auto s_a = stages + kt % 2 * V4::kStageElements;
      const auto s_b = s_a + V4::kElementsA;
      const std::int64_t k0 = static_cast<std::int64_t>(kt) * V4::kBlockK;
      const int k_left = tile::left_in_tile(p.k - k0, V4::kBlockK);
      tile::copy_tile_async<V4::MapA>(s_a, a + k0, p.a_strides.row, m_left, k_left,
                                      layout::swizzle_64b);
      if constexpr (kOrderB == Order::kRowMajor) {
        tile::copy_tile_async<V4::MapBRows>(s_b, b + k0 * p.b_strides.row, p.b_strides.row, k_left,
                                            n_left, layout::swizzle_256b);
      } else {
        tile::copy_tile_async<V4::MapBColumns>(s_b, b + k0, p.b_strides.col, n_left, k_left,
                                               layout::swizzle_64b);
      }
    }
    hw::cp_async_commit();
  };

  const V4Lanes<kOrderB> lanes;
  float sums[V4::kRows][V4::kColumns][4] = {};
  prefetch(0);
  for (int kt = 0; kt < k_tiles; ++kt) {
    prefetch(kt + 1);
    hw::cp_async_wait<1>();  // tile kt is here, for this thread
    hw::sync_threads();      // and for all
    v4_multiply(sums, stages + kt % 2 * V4::kStageElements, lanes);
    hw::sync_threads();  // before the next prefetch overwrites it
  }

  const int warp = hw::warp_index();
  v4_store(sums, tile::output_of(p, at.batch),
           at.m0 + warp / (V4::kBlockN / V4::kWarpN) * V4::kWarpM,
           at.n0 + warp % (V4::kBlockN / V4::kWarpN) * V4::kWarpN);
}

}  // namespace tilewright::kernels
