// v4 = v3 + an XOR swizzle, with ldmatrix and mma.sync by hand.
// Removes: bank conflicts and the padding that fought them (37 -> 32 KB), and WMMA's secret layout:
// sums go from registers straight to D, and a warp takes 64 x 64, whose fragments two neighbouring
// k16 steps share in turns. Costs: index maths, which is paid once a block and not once a K tile,
// or short K would drown in it, and most of the registers: 8 warps an SM (facts.md, ladder).
//
// Takes A [M,K] and B [K,N] or [N,K], D [M,N] row-major, every row 16-byte aligned; any M, N, K.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "hw/ldmatrix.h"
#include "hw/mma.h"
#include "tile/block_tile.cuh"
#include "tile/chunk_stream.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"
#include "tilewright/gemm.h"

namespace tilewright::kernels::inline TW_TARGET {

struct V4 {
  static constexpr int kBlockM = 128, kBlockN = 128, kBlockK = 32;
  static constexpr int kWarpM = 64, kWarpN = 64;
  static constexpr int kThreads = kBlockM / kWarpM * (kBlockN / kWarpN) * 32;
  static constexpr int kRows = kWarpM / 16, kColumns = kWarpN / 8;  // MMAs of a warp
  static constexpr int kPairs = kColumns / 2;  // of MMA columns: one ldmatrix.x4
  static constexpr int kSteps = kBlockK / 16;
  static constexpr int kElementsA = kBlockM * kBlockK;
  static constexpr int kStageElements = kElementsA + kBlockN * kBlockK;  // A, then B
  static constexpr int kSharedBytes = 2 * kStageElements * 2;

  static TW_DEVICE int warp_m() { return hw::warp_index() / (kBlockN / kWarpN) * kWarpM; }
  static TW_DEVICE int warp_n() { return hw::warp_index() % (kBlockN / kWarpN) * kWarpN; }
};

// B as it lies in memory: [K,N], whose tiles go down the rows as k grows, or [N,K], which is to B
// what A is to the product.
template <class In, Order kOrderB>
struct V4B {
  static constexpr bool kIsRowMajor = kOrderB == Order::kRowMajor;
  using Layout = std::conditional_t<kIsRowMajor, layout::Swizzle256, layout::Swizzle64>;
  using Stream =
      std::conditional_t<kIsRowMajor,
                         tile::ChunkStream<In, V4::kBlockK, V4::kBlockN, V4::kThreads, Layout>,
                         tile::ChunkStream<In, V4::kBlockN, V4::kBlockK, V4::kThreads, Layout>>;

  static TW_DEVICE tile::Extent extent(int k, int n) {
    return kIsRowMajor ? tile::Extent{k, n} : tile::Extent{n, k};
  }
};

template <class In>
using V4StreamA = tile::ChunkStream<In, V4::kBlockM, V4::kBlockK, V4::kThreads, layout::Swizzle64>;

// Where a lane points ldmatrix, as offsets into a stage; what is left to the loop is adding
// constants.
template <Order kOrderB>
struct V4Lanes {
  // A, and B [N,K]: one a k16 step. B [K,N]: one a pair of MMA columns.
  static constexpr int kOffsetsB = kOrderB == Order::kRowMajor ? V4::kPairs : V4::kSteps;
  int a[V4::kSteps], b[kOffsetsB];

  TW_DEVICE V4Lanes() {
    const int lane = hw::lane_index();
#pragma unroll
    for (int step = 0; step < V4::kSteps; ++step) {
      a[step] = layout::Swizzle64::offset(V4::warp_m() + lane % 16, step * 2 + lane / 16);
    }
#pragma unroll
    for (int i = 0; i < kOffsetsB; ++i) {
      b[i] = V4::kElementsA +
             (kOrderB == Order::kRowMajor
                  ? layout::Swizzle256::offset(lane % 16, V4::warp_n() / 8 + i * 2 + lane / 16)
                  : layout::Swizzle64::offset(V4::warp_n() + lane / 16 * 8 + lane % 8,
                                              i * 2 + lane / 8 % 2));
    }
  }
  TW_DEVICE int offset_a(int row, int step) const {
    return a[step] + row * 16 * V4::kBlockK;
  }
  TW_DEVICE int offset_b(int pair, int step) const {
    return kOrderB == Order::kRowMajor ? b[pair] + step * 16 * V4::kBlockN
                                       : b[step] + pair * 16 * V4::kBlockK;
  }
};

using V4Sums = float[V4::kRows][V4::kColumns][4];

// A warp's share of one k16 step.
struct V4Fragments {
  std::uint32_t a[V4::kRows][4], b[V4::kPairs][4];

  template <class In, Order kOrderB>
  TW_DEVICE void load(hw::Shared<In> stage, const V4Lanes<kOrderB>& lanes, int step) {
#pragma unroll
    for (int j = 0; j < V4::kPairs; ++j) {
      if constexpr (kOrderB == Order::kRowMajor) {
        hw::ldmatrix_x4_trans(b[j], stage + lanes.offset_b(j, step));
      } else {
        hw::ldmatrix_x4(b[j], stage + lanes.offset_b(j, step));
      }
    }
#pragma unroll
    for (int i = 0; i < V4::kRows; ++i) hw::ldmatrix_x4(a[i], stage + lanes.offset_a(i, step));
  }

  template <class In>
  TW_DEVICE void multiply(V4Sums& sums) const {
#pragma unroll
    for (int i = 0; i < V4::kRows; ++i) {
#pragma unroll
      for (int j = 0; j < V4::kColumns; ++j) {
        hw::mma_m16n8k16<In>(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
};

// alpha * sums + beta * C, where a lane holds pairs of neighbours.
template <class Out>
TW_DEVICE void v4_scale(V4Sums& sums, const tile::OutputTile<Out>& out) {
  const int quad_row = hw::lane_index() / 4, in_quad = hw::lane_index() % 4;
#pragma unroll
  for (int i = 0; i < V4::kRows; ++i) {
#pragma unroll
    for (int j = 0; j < V4::kColumns; ++j) {
#pragma unroll
      for (float& each : sums[i][j]) each *= out.alpha;
    }
  }
  if (out.c == nullptr) return;
#pragma unroll
  for (int i = 0; i < V4::kRows * 2; ++i) {
#pragma unroll
    for (int j = 0; j < V4::kColumns; ++j) {
      float(&four)[4] = sums[i / 2][j];
      float pair[2] = {four[i % 2 * 2], four[i % 2 * 2 + 1]};
      out.add_c(pair, V4::warp_m() + i * 8 + quad_row, V4::warp_n() + j * 8 + in_quad * 2);
      four[i % 2 * 2] = pair[0];
      four[i % 2 * 2 + 1] = pair[1];
    }
  }
}

template <class Out>
TW_DEVICE void v4_store(const V4Sums& sums, const tile::OutputTile<Out>& out) {
#pragma unroll
  for (int i = 0; i < V4::kRows * 2; ++i) {
#pragma unroll
    for (int j0 = 0; j0 < V4::kColumns; j0 += 4) {
      float quads[4][2];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        quads[j][0] = sums[i / 2][j0 + j][i % 2 * 2];
        quads[j][1] = sums[i / 2][j0 + j][i % 2 * 2 + 1];
      }
      tile::store_scaled_quads(out, V4::warp_m() + i * 8 + hw::lane_index() / 4,
                               V4::warp_n() + j0 * 8, quads);
    }
  }
}

// The sums of one tile. kWhole: no 16-byte chunk of A or B is cut by the matrix's edge.
template <bool kWhole, class In, class Out, Order kOrderB>
TW_DEVICE void v4_sum(V4Sums& sums, const tile::GemmParams<In, Out>& p, const tile::BlockTile& at,
                      int m_left, int n_left) {
  using B = V4B<In, kOrderB>;
  const int k_tiles = static_cast<int>((p.k + V4::kBlockK - 1) / V4::kBlockK);
  const int k_tail = static_cast<int>(p.k - (k_tiles - 1) * std::int64_t{V4::kBlockK});
  V4StreamA<In> a(p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row, p.a_strides.row,
                  {m_left, V4::kBlockK}, {m_left, k_tail});
  typename B::Stream b(p.b + at.batch * p.b_strides.batch + at.n0 * p.b_strides.col,
                       B::kIsRowMajor ? p.b_strides.row : p.b_strides.col,
                       B::extent(V4::kBlockK, n_left), B::extent(k_tail, n_left));
  const auto stages = hw::dynamic_shared<In>();

  const auto stage_of = [&](int kt) { return stages + kt % 2 * V4::kStageElements; };
  // Always closes a group, so that "all but the newest" below means the same to the last tile.
  const auto prefetch = [&](int kt) {
    if (kt < k_tiles) {
      const bool last = kt == k_tiles - 1;
      a.template copy_async<kWhole>(stage_of(kt), last);
      b.template copy_async<kWhole>(stage_of(kt) + V4::kElementsA, last);
      a.advance(V4::kBlockK);
      b.advance(V4::kBlockK * p.b_strides.row);
    }
    hw::cp_async_commit();
  };

  const V4Lanes<kOrderB> lanes;
  V4Fragments step0, step1;  // one is multiplied while the other is loaded
  prefetch(0);
  prefetch(1);
  hw::cp_async_wait<1>();
  hw::sync_threads();
  step0.load(stages, lanes, 0);
  for (int kt = 0; kt < k_tiles; ++kt) {
    step1.load(stage_of(kt), lanes, 1);
    hw::sync_threads();  // everyone holds tile kt in registers: its stage is free
    prefetch(kt + 2);
    step0.template multiply<In>(sums);
    hw::cp_async_wait<1>();                  // tile kt + 1 is here, for this thread
    hw::sync_threads();                      // and for all
    step0.load(stage_of(kt + 1), lanes, 0);  // after the last tile: nothing that is used
    step1.template multiply<In>(sums);
  }
}

template <class In, class Out, Order kOrderB>
TW_KERNEL(V4::kThreads, 2)
gemm_v4_swizzle(const tile::GemmParams<In, Out> p) {
  const auto at = tile::block_tile<V4::kBlockM, V4::kBlockN>(p.grid);
  const int m_left = tile::left_in_tile(p.m - at.m0, V4::kBlockM);
  const int n_left = tile::left_in_tile(p.n - at.n0, V4::kBlockN);
  V4Sums sums = {};
  if (p.k % 8 == 0 && (kOrderB == Order::kColMajor || p.n % 8 == 0)) {
    v4_sum<true, In, Out, kOrderB>(sums, p, at, m_left, n_left);
  } else {
    v4_sum<false, In, Out, kOrderB>(sums, p, at, m_left, n_left);
  }
  const auto out = tile::output_tile(p, at, m_left, n_left);
  v4_scale(sums, out);
  v4_store(sums, out);
}

}  // namespace tilewright::kernels::inline TW_TARGET
