// A long matrix x times a few columns y, read once from memory and never packed. Compiled once for
// each target.
#include "cpu/simd/convert-inl.h"

#if defined(TILEWRIGHT_SIMD_THIN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_SIMD_THIN_INL_H
#undef TILEWRIGHT_SIMD_THIN_INL_H
#else
#define TILEWRIGHT_SIMD_THIN_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

// How many rows of x share a load of y: as many as registers allow, at most 4 streams.
constexpr int rows_at_once(int columns) {
  const int registers = HWY_TARGET == HWY_AVX3 ? 28 : 12;
  const int rows = registers / (columns + 1);
  return rows < 1 ? 1 : rows > 4 ? 4 : rows;
}

// x is k-contiguous: `kRows` rows of x against all columns, a vector of k at a time.
template <class T, int kRows, int kColumns>
HWY_INLINE void dot_rows(const ThinArgs& args, std::int64_t row) {
  const Floats d;
  const T* const x = static_cast<const T*>(args.x) + row * args.x_stride;
  hn::Vec<Floats> sum[kRows][kColumns];
  for (auto& sums : sum) {
    for (auto& vector : sums) vector = hn::Zero(d);
  }
  std::int64_t k = 0;
  hn::Vec<Floats> x_part[kRows];
  for (; k + kLanes <= args.depth; k += kLanes) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x_part[r] = load_f32(d, x + r * args.x_stride + k);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const auto y_part = hn::LoadU(d, args.y + c * args.y_ld + k);
      for (int r = 0; r < kRows; ++r) sum[r][c] = hn::MulAdd(x_part[r], y_part, sum[r][c]);
    }
  }
  if (k < args.depth) {  // y is padded with zeros, x is not
    const int left = static_cast<int>(args.depth - k);
    for (int r = 0; r < kRows; ++r) x_part[r] = load_first(x + r * args.x_stride + k, 1, left);
    for (int c = 0; c < kColumns; ++c) {
      const auto y_part = hn::LoadU(d, args.y + c * args.y_ld + k);
      for (int r = 0; r < kRows; ++r) sum[r][c] = hn::MulAdd(x_part[r], y_part, sum[r][c]);
    }
  }
  for (int c = 0; c < kColumns; ++c) {
    for (int r = 0; r < kRows; ++r) {
      args.acc[c * args.acc_ld + row + r] += hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
    }
  }
}

template <class T, int kColumns>
void thin_dot(const ThinArgs& args) {
  constexpr int kRows = rows_at_once(kColumns);
  std::int64_t row = 0;
  for (; row + kRows <= args.length; row += kRows) dot_rows<T, kRows, kColumns>(args, row);
  for (; row < args.length; ++row) dot_rows<T, 1, kColumns>(args, row);
}

// x is contiguous along its length: `kDepth` steps of k for every vector of the sums.
template <class T, int kDepth, int kColumns>
HWY_INLINE void axpy_steps(const ThinArgs& args, std::int64_t k) {
  const Floats d;
  const T* const x = static_cast<const T*>(args.x) + k * args.x_stride;
  hn::Vec<Floats> y[kDepth][kColumns];
  for (int i = 0; i < kDepth; ++i) {
    for (int c = 0; c < kColumns; ++c) y[i][c] = hn::Set(d, args.y[c * args.y_ld + k + i]);
  }
  for (std::int64_t l = 0; l < args.length; l += kLanes) {
    const std::int64_t left = args.length - l;
    hn::Vec<Floats> x_part[kDepth];
    if (left >= kLanes) {
#pragma GCC unroll 8
      for (int i = 0; i < kDepth; ++i) x_part[i] = load_f32(d, x + i * args.x_stride + l);
    } else {
      for (int i = 0; i < kDepth; ++i) {
        x_part[i] = load_first(x + i * args.x_stride + l, 1, static_cast<int>(left));
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      float* const acc = args.acc + c * args.acc_ld + l;
      auto sum = hn::Load(d, acc);
      for (int i = 0; i < kDepth; ++i) sum = hn::MulAdd(x_part[i], y[i][c], sum);
      hn::Store(sum, d, acc);
    }
  }
}

template <class T, int kColumns>
void thin_axpy(const ThinArgs& args) {
  constexpr int kDepth = 4;
  std::int64_t k = 0;
  for (; k + kDepth <= args.depth; k += kDepth) axpy_steps<T, kDepth, kColumns>(args, k);
  for (; k < args.depth; ++k) axpy_steps<T, 1, kColumns>(args, k);
}

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
