// The register tile: the inner loop of the packed GEMM. Compiled once for each target.
#include "cpu/simd/convert-inl.h"
#include "hwy/cache_control.h"

#if defined(TILEWRIGHT_SIMD_MICRO_KERNEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_SIMD_MICRO_KERNEL_INL_H
#undef TILEWRIGHT_SIMD_MICRO_KERNEL_INL_H
#else
#define TILEWRIGHT_SIMD_MICRO_KERNEL_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

// Rows and vectors of fp32 sums that fill the register file and leave room for a row of B and one
// element of A: 28 of 32 registers with AVX-512, 12 of 16 with AVX2; SSSE3 also needs one for the
// product, as it has no FMA.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 14;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 5;
#endif
constexpr int kTileVectors = 2;
constexpr int kTileCols = kTileVectors * kLanes;
static_assert(kTileRows <= kMaxTileRows && kTileVectors <= kMaxTileVectors);
static_assert(kTileCols <= kMaxTileCols);

// How many steps of k ahead. Past the end of a panel it does nothing.
constexpr int kPrefetchedRowsOfA = 16, kPrefetchedRowsOfB = 8;

template <int kRows, int kVectors>
void multiply_tile(std::int64_t depth, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                   float* HWY_RESTRICT tile) {
  const Floats d;
  hn::Vec<Floats> sum[kRows][kVectors];
  for (auto& row : sum) {
    for (auto& vector : row) vector = hn::Zero(d);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    // Both panels come from L2: without these two, 2048 cubed loses a tenth.
    hwy::Prefetch(a + kPrefetchedRowsOfA * kRows);
    for (int v = 0; v < kVectors; ++v) {
      hwy::Prefetch(b + (kPrefetchedRowsOfB * kVectors + v) * kLanes);
    }
    hn::Vec<Floats> b_row[kVectors];
    for (int v = 0; v < kVectors; ++v) b_row[v] = hn::Load(d, b + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const auto a_element = hn::Set(d, a[r]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(a_element, b_row[v], sum[r][v]);
    }
    a += kRows;
    b += kVectors * kLanes;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, tile + r * kTileCols + v * kLanes);
  }
}

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
