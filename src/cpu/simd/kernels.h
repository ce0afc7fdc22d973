// The functions that exist once for each instruction set, as a table of plain pointers.
//
// Everything in the files named *-inl.h is compiled for several instruction sets; everything else
// here is ordinary code. No inline function may be shared between the two: the linker keeps one
// copy of it, and that copy could hold AVX-512 instructions. So only plain structs cross this line.
#pragma once

#include <cstdint>

#include "tilewright/device.h"

namespace tilewright::simd {

// How the 16-bit types lie in memory.
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

// Element (index, k) lies at source + index * index_stride + k * k_stride, in elements; one of the
// strides is 1. Panel p holds the indices [p * width, (p + 1) * width) as fp32, k outermost, and
// starts at panels + p * width * depth. The last panel is narrower: what is left, rounded up to a
// multiple of pad_to with zeros.
struct PackArgs {
  const void* source;
  std::int64_t index_stride, k_stride;
  std::int64_t count, depth;
  int width, pad_to;
  float* panels;
};

// `columns` rows of y, each `depth` floats long, padded with zeros to y_ld. Element (k, column) of
// the source lies at source + k * k_stride + column * column_stride.
struct ThinPackArgs {
  const void* source;
  std::int64_t k_stride, column_stride;
  std::int64_t depth;
  int columns;
  float* y;
  std::int64_t y_ld;
};

// acc(column, l) += sum over k of x(l, k) * y(column, k), for l < length. x(l, k) lies at
// l * x_stride + k for `thin_dot`, at k * x_stride + l for `thin_axpy`. acc_ld is a multiple of
// the vector length.
struct ThinArgs {
  const void* x;
  std::int64_t x_stride;
  std::int64_t length, depth;
  int columns;
  const float* y;
  std::int64_t y_ld;
  float* acc;
  std::int64_t acc_ld;
};

// d = alpha * (sum + partial) + beta * c, row by row; partial may be null, c is read only where
// beta is not 0.
struct FinishArgs {
  std::int64_t rows, cols;
  const float* sum;
  std::int64_t sum_ld;
  const float* partial;
  std::int64_t partial_ld;
  float alpha, beta;
  const void* c;
  std::int64_t c_row_stride, c_col_stride;
  void* d;
  std::int64_t d_ld;
};

// partial = sum, or partial += sum.
struct PartialArgs {
  std::int64_t rows, cols;
  const float* sum;
  std::int64_t sum_ld;
  float* partial;
  std::int64_t partial_ld;
  bool add;
};

inline constexpr int kMaxTileRows = 14;
inline constexpr int kMaxTileVectors = 2;
inline constexpr int kMaxTileCols = 32;
inline constexpr int kMaxThinColumns = 8;
inline constexpr int kTypes = 3;  // indexed by DType: f32, f16, bf16

// tile[r * tile_cols + c] = sum over k < depth of a[k * rows + r] * b[k * width + c], with as many
// rows and vectors of width as its place in the table says.
using MicroKernel = void (*)(std::int64_t depth, const float* a, const float* b, float* tile);

struct SimdKernels {
  int lanes;  // floats in a vector
  int tile_rows, tile_cols;
  MicroKernel micro[kMaxTileRows][kMaxTileVectors];  // [rows - 1][vectors - 1]
  void (*store_partial)(const PartialArgs&);
  void (*pack[kTypes])(const PackArgs&);
  void (*finish[kTypes])(const FinishArgs&);
  void (*thin_pack[kTypes])(const ThinPackArgs&);
  void (*thin_dot[kTypes][kMaxThinColumns])(const ThinArgs&);
  void (*thin_axpy[kTypes][kMaxThinColumns])(const ThinArgs&);
};

const SimdKernels& simd_kernels(CpuIsa isa);

}  // namespace tilewright::simd
