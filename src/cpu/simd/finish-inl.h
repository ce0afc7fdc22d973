// From fp32 sums to D. Compiled once for each target.
#include "cpu/simd/convert-inl.h"

#if defined(TILEWRIGHT_SIMD_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_SIMD_FINISH_INL_H
#undef TILEWRIGHT_SIMD_FINISH_INL_H
#else
#define TILEWRIGHT_SIMD_FINISH_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

// Loads and stores of one vector of a row, of which the first `count` lanes belong to the matrix.
template <class T>
HWY_INLINE hn::Vec<Floats> load_part(const T* from, std::int64_t stride, int count) {
  if (count == kLanes && stride == 1) return load_f32(Floats(), from);
  return load_first(from, stride, count);
}

template <class T>
HWY_INLINE void store_part(hn::Vec<Floats> value, T* to, int count) {
  if (count == kLanes) {
    store_f32(Floats(), value, to);
  } else {
    store_first(value, to, count);
  }
}

inline void store_partial(const PartialArgs& args) {
  for (std::int64_t row = 0; row < args.rows; ++row) {
    for (std::int64_t col = 0; col < args.cols; col += kLanes) {
      const int count = args.cols - col < kLanes ? static_cast<int>(args.cols - col) : kLanes;
      float* const to = args.partial + row * args.partial_ld + col;
      auto sum = load_part(args.sum + row * args.sum_ld + col, 1, count);
      if (args.add) sum = hn::Add(load_part(to, 1, count), sum);
      store_part(sum, to, count);
    }
  }
}

template <class T>
void finish(const FinishArgs& args) {
  const Floats d;
  const auto alpha = hn::Set(d, args.alpha), beta = hn::Set(d, args.beta);
  for (std::int64_t row = 0; row < args.rows; ++row) {
    T* const to = static_cast<T*>(args.d) + row * args.d_ld;
    const T* const c = static_cast<const T*>(args.c) + row * args.c_row_stride;
    for (std::int64_t col = 0; col < args.cols; col += kLanes) {
      const int count = args.cols - col < kLanes ? static_cast<int>(args.cols - col) : kLanes;
      auto sum = load_part(args.sum + row * args.sum_ld + col, 1, count);
      if (args.partial != nullptr) {
        sum = hn::Add(load_part(args.partial + row * args.partial_ld + col, 1, count), sum);
      }
      auto result = hn::Mul(alpha, sum);
      if (args.beta != 0.0f) {
        const auto c_part = load_part(c + col * args.c_col_stride, args.c_col_stride, count);
        result = hn::MulAdd(beta, c_part, result);
      }
      store_part(result, to + col, count);
    }
  }
}

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
