// v1 = v0 + tiles in shared memory and an 8 x 8 register tile a thread.
// Removes: most loads. An element brought to shared memory serves 128 products, one brought to a
// register 8. Costs: two barriers a K tile, and no load is under way while the block multiplies.
//
// Takes every order, stride and alignment: elements move one by one.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "hw/convert.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"

namespace tilewright::kernels::inline TW_TARGET {

struct V1 {
  static constexpr int kTile = 128;  // of M and of N
  static constexpr int kBlockK = 16;
  static constexpr int kThreads = 256;   // 16 x 16
  static constexpr int kLd = kTile + 4;  // keeps float4 reads aligned, spreads a column over banks
  static constexpr int kSharedBytes = 2 * kBlockK * kLd * static_cast<int>(sizeof(float));
};

// Stores a tile as fp32 in rows of k. `major` runs along M or N; whichever of the two directions is
// contiguous in memory is the one that neighbouring threads follow.
template <class In>
TW_DEVICE void v1_load_tile(hw::Shared<float> target, hw::Global<const In> source,
                            std::int64_t major_stride, std::int64_t k_stride, int major_left,
                            int k_left) {
  const bool k_contiguous = k_stride == 1;
  const int thread = hw::thread_index();
  const int k = k_contiguous ? thread % V1::kBlockK : thread / V1::kTile;
  const int major = k_contiguous ? thread / V1::kBlockK : thread % V1::kTile;
  const int k_step = k_contiguous ? 0 : V1::kThreads / V1::kTile;
  const int major_step = k_contiguous ? V1::kThreads / V1::kBlockK : 0;

  constexpr int kSteps = V1::kTile * V1::kBlockK / V1::kThreads;
  const auto from = source + major * major_stride + k * k_stride;
  const std::int64_t from_step = major_step * major_stride + k_step * k_stride;
#pragma unroll 4
  for (int i = 0; i < kSteps; ++i) {
    const bool inside = major + i * major_step < major_left && k + i * k_step < k_left;
    target[(k + i * k_step) * V1::kLd + major + i * major_step] =
        inside ? hw::to_float(from[i * from_step]) : 0.0f;
  }
}

template <class In, class Out>
TW_KERNEL(V1::kThreads, 2)
gemm_v1_tiled(const tile::GemmParams<In, Out> p) {
  const auto at = tile::block_tile<V1::kTile, V1::kTile>(p.grid);
  const auto a = p.a + at.batch * p.a_strides.batch + at.m0 * p.a_strides.row;
  const auto b = p.b + at.batch * p.b_strides.batch + at.n0 * p.b_strides.col;
  const int m_left = tile::left_in_tile(p.m - at.m0, V1::kTile);
  const int n_left = tile::left_in_tile(p.n - at.n0, V1::kTile);
  const auto s_a = hw::dynamic_shared<float>();
  const auto s_b = s_a + V1::kBlockK * V1::kLd;

  // A thread's 8 rows are two runs of 4, 64 apart, so that a warp reads shared memory without
  // conflicts; its columns likewise.
  const int row = hw::thread_index() / 16 * 4;
  const int column = hw::thread_index() % 16 * 4;
  const auto spread = [](int i) { return i < 4 ? i : 60 + i; };

  float sums[8][8] = {};
  for (std::int64_t k0 = 0; k0 < p.k; k0 += V1::kBlockK) {
    const int k_left = tile::left_in_tile(p.k - k0, V1::kBlockK);
    v1_load_tile(s_a, a + k0 * p.a_strides.col, p.a_strides.row, p.a_strides.col, m_left, k_left);
    v1_load_tile(s_b, b + k0 * p.b_strides.row, p.b_strides.col, p.b_strides.row, n_left, k_left);
    hw::sync_threads();
#pragma unroll 4
    for (int k = 0; k < V1::kBlockK; ++k) {
      float r_a[8], r_b[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        r_a[i] = s_a[k * V1::kLd + row + spread(i)];
        r_b[i] = s_b[k * V1::kLd + column + spread(i)];
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += r_a[i] * r_b[j];
      }
    }
    hw::sync_threads();
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      tile::store_one(p, at.batch, at.m0 + row + spread(i), at.n0 + column + spread(j), sums[i][j]);
    }
  }
}

}  // namespace tilewright::kernels::inline TW_TARGET
