// v0: one output element a thread.
// Removes: nothing, this is where the ladder starts. Costs: every product reads both its operands
// from memory or cache; no element is kept in a register for a second use.
//
// Takes every problem: any order, stride, alignment and type.
#pragma once

#include "hw/attributes.h"
#include "hw/convert.h"
#include "hw/index.h"
#include "tile/block_tile.cuh"
#include "tile/epilogue.cuh"
#include "tile/gemm_params.h"

namespace tilewright::kernels::inline TW_TARGET {

inline constexpr int kV0Rows = 8;
inline constexpr int kV0Columns = 32;  // a warp along n, where B and D are usually contiguous

template <class In, class Out>
TW_KERNEL(kV0Rows* kV0Columns, 1)
gemm_v0_naive(const tile::GemmParams<In, Out> p) {
  const auto at = tile::block_tile<kV0Rows, kV0Columns>(p.grid);
  const std::int64_t m = at.m0 + hw::thread_index() / kV0Columns;
  const std::int64_t n = at.n0 + hw::thread_index() % kV0Columns;
  if (m >= p.m || n >= p.n) return;

  const auto a = p.a + at.batch * p.a_strides.batch + m * p.a_strides.row;
  const auto b = p.b + at.batch * p.b_strides.batch + n * p.b_strides.col;
  float sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += hw::to_float(a[k * p.a_strides.col]) * hw::to_float(b[k * p.b_strides.row]);
  }
  tile::store_one(p, at.batch, m, n, sum);
}

}  // namespace tilewright::kernels::inline TW_TARGET
