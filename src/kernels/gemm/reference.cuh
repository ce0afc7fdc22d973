// The oracle on the card: sums in double, one rounding to D, no layout code shared with the kernels
// it judges. Plain 32 x 32 tiles, one element a thread; quick enough (some TFLOP/s) to check
// every element of a product that the CPU oracle would need minutes for.
#pragma once

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "hw/convert.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"
#include "tile/gemm_params.h"

namespace tilewright::kernels::inline TW_TARGET {

inline constexpr int kReferenceTile = 32;
inline constexpr int kReferenceThreads = kReferenceTile * kReferenceTile;
inline constexpr int kReferenceSharedBytes =
    2 * kReferenceTile * kReferenceTile * static_cast<int>(sizeof(double));

template <class Out>
TW_DEVICE Out reference_round(double value) {
  if constexpr (sizeof(Out) == 4) {
    return static_cast<float>(value);
  } else if constexpr (std::is_same_v<Out, hw::F16>) {
    return {numeric::f16_from_f64(value)};
  } else {
    return {numeric::bf16_from_f64(value)};
  }
}

template <class In, class Out>
TW_KERNEL(kReferenceThreads, 1)
gemm_reference(const tile::GemmParams<In, Out> p) {
  const std::uint32_t per_matrix = p.grid.tiles_m * p.grid.tiles_n;
  const std::int64_t batch = hw::block_index() / per_matrix;
  const std::int64_t tile_in_matrix = hw::block_index() % per_matrix;
  const int y = hw::thread_index() / kReferenceTile, x = hw::thread_index() % kReferenceTile;
  const std::int64_t m = tile_in_matrix / p.grid.tiles_n * kReferenceTile + y;
  const std::int64_t n = tile_in_matrix % p.grid.tiles_n * kReferenceTile + x;
  const auto a = p.a + batch * p.a_strides.batch;
  const auto b = p.b + batch * p.b_strides.batch;
  const auto s_a = hw::dynamic_shared<double>();
  const auto s_b = s_a + kReferenceThreads;

  double sum = 0;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += kReferenceTile) {
    const bool have_a = m < p.m && k0 + x < p.k, have_b = n < p.n && k0 + y < p.k;
    s_a[y * kReferenceTile + x] =
        have_a ? hw::to_float(a[m * p.a_strides.row + (k0 + x) * p.a_strides.col]) : 0.0f;
    s_b[y * kReferenceTile + x] =
        have_b ? hw::to_float(b[(k0 + y) * p.b_strides.row + n * p.b_strides.col]) : 0.0f;
    hw::sync_threads();
    for (int k = 0; k < kReferenceTile; ++k) {
      sum += s_a[y * kReferenceTile + k] * s_b[k * kReferenceTile + x];
    }
    hw::sync_threads();
  }
  if (m >= p.m || n >= p.n) return;

  double value = p.alpha * sum;
  if (p.c != nullptr) {
    value +=
        static_cast<double>(p.beta) *
        hw::to_float(p.c[batch * p.c_strides.batch + m * p.c_strides.row + n * p.c_strides.col]);
  }
  p.d[batch * p.d_strides.batch + m * p.d_strides.row + n * p.d_strides.col] =
      reference_round<Out>(value);
}

}  // namespace tilewright::kernels::inline TW_TARGET
