// Packing: any order and type becomes fp32 panels that the register tile reads front to back.
// Compiled once for each target.
#include "cpu/simd/convert-inl.h"

#if defined(TILEWRIGHT_SIMD_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_SIMD_PACK_INL_H
#undef TILEWRIGHT_SIMD_PACK_INL_H
#else
#define TILEWRIGHT_SIMD_PACK_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

// `count` consecutive elements. The last vector overlaps the one before instead of being masked.
template <class T>
HWY_INLINE void copy_run(const T* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
  if (count >= kLanes) {
    for (; i + kLanes <= count; i += kLanes)
      store_f32(Floats(), load_f32(Floats(), from + i), to + i);
    if (i < count) {
      i = count - kLanes;
      store_f32(Floats(), load_f32(Floats(), from + i), to + i);
    }
    return;
  }
  if (count >= 4) {
    for (; i + 4 <= count; i += 4) store_f32(Four(), load_f32(Four(), from + i), to + i);
    if (i < count) store_f32(Four(), load_f32(Four(), from + count - 4), to + count - 4);
    return;
  }
  for (; i < count; ++i) to[i] = to_f32(from[i]);
}

// 4 rows of 4 elements become 4 columns: to[k * width + row].
template <class T>
HWY_INLINE void transpose_4x4(const T* from, std::int64_t stride, float* to, int width) {
  const Four d;
  const auto r0 = load_f32(d, from), r1 = load_f32(d, from + stride);
  const auto r2 = load_f32(d, from + 2 * stride), r3 = load_f32(d, from + 3 * stride);
  const hn::Repartition<double, Four> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * width);
}

// `rows` rows of k-contiguous elements, k in [k_first, k_last), into a panel `width` wide.
template <class T>
HWY_INLINE void transpose_block(const T* from, std::int64_t stride, int rows, std::int64_t k_first,
                                std::int64_t k_last, float* panel, int width) {
  const std::int64_t k_vectors = rows < 4 ? k_first : k_first + (k_last - k_first) / 4 * 4;
  for (int group = 0; group < rows && rows >= 4; group += 4) {
    const int row = group + 4 <= rows ? group : rows - 4;  // overlaps the group before
    for (std::int64_t k = k_first; k < k_vectors; k += 4) {
      transpose_4x4(from + row * stride + k, stride, panel + k * width + row, width);
    }
  }
  for (std::int64_t k = k_vectors; k < k_last; ++k) {
    for (int row = 0; row < rows; ++row) {
      panel[k * width + row] = to_f32(from[row * stride + k]);
    }
  }
}

template <class T>
HWY_INLINE void copy_block(const T* from, std::int64_t stride, int rows, std::int64_t k_first,
                           std::int64_t k_last, float* panel, int width) {
  for (std::int64_t k = k_first; k < k_last; ++k) {
    copy_run(from + k * stride, rows, panel + k * width);
  }
}

// Goes down all panels for a block of k before the next: what a block reads and writes of a panel
// stays in L1, and rows that are contiguous across panels are read as long runs.
template <class T>
void pack(const PackArgs& args) {
  constexpr std::int64_t kBlock = 64;
  const T* source = static_cast<const T*>(args.source);
  for (std::int64_t k = 0; k < args.depth; k += kBlock) {
    const std::int64_t k_last = k + kBlock < args.depth ? k + kBlock : args.depth;
    for (std::int64_t index = 0; index < args.count; index += args.width) {
      const std::int64_t left = args.count - index;
      const int rows = left < args.width ? static_cast<int>(left) : args.width;
      const int width = (rows + args.pad_to - 1) / args.pad_to * args.pad_to;
      float* const panel = args.panels + index * args.depth;
      const T* const from = source + index * args.index_stride;
      if (args.k_stride == 1) {
        transpose_block(from, args.index_stride, rows, k, k_last, panel, width);
      } else {
        copy_block(from, args.k_stride, rows, k, k_last, panel, width);
      }
      for (std::int64_t row_k = k; rows < width && row_k < k_last; ++row_k) {
        for (int row = rows; row < width; ++row) panel[row_k * width + row] = 0.0f;
      }
    }
  }
}

template <class T>
void thin_pack(const ThinPackArgs& args) {
  for (int column = 0; column < args.columns; ++column) {
    const T* const from = static_cast<const T*>(args.source) + column * args.column_stride;
    float* const y = args.y + column * args.y_ld;
    if (args.k_stride == 1) {
      copy_run(from, args.depth, y);
    } else {
      for (std::int64_t k = 0; k < args.depth; ++k) y[k] = to_f32(from[k * args.k_stride]);
    }
    for (std::int64_t k = args.depth; k < args.y_ld; ++k) y[k] = 0.0f;
  }
}

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
