// What every GEMM kernel is handed, by value.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/global.h"
#include "layout/raster.h"

namespace tilewright::tile::inline TW_TARGET {

// Element (r, c) of entry e lies at r * row + c * col + e * batch.
struct Strides {
  std::int64_t row, col, batch;
};

template <class In, class Out>
struct GemmParams {
  hw::Global<const In> a, b;
  hw::Global<const Out> c;  // null where beta is 0: then C is not read
  hw::Global<Out> d;
  std::int64_t m, n, k;  // k is 0 where alpha is 0: then A and B are not read
  Strides a_strides, b_strides, c_strides, d_strides;
  float alpha, beta;
  layout::TileGrid grid;
};

}  // namespace tilewright::tile::inline TW_TARGET
