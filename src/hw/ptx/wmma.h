// WMMA: 16x16x16 products on fragments whose layout the hardware keeps to itself.
#pragma once

#include <mma.h>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct WmmaType;
template <>
struct WmmaType<F16> {
  using type = __half;
};
template <>
struct WmmaType<BF16> {
  using type = __nv_bfloat16;
};

template <class T>
using WmmaA = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, typename WmmaType<T>::type,
                                     nvcuda::wmma::row_major>;
template <class T>
using WmmaB = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, typename WmmaType<T>::type,
                                     nvcuda::wmma::row_major>;
using WmmaAccumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;

TW_DEVICE void wmma_zero(WmmaAccumulator& d) {
  nvcuda::wmma::fill_fragment(d, 0.0f);
}

// `ld` in elements; the tile's rows must be 16-byte aligned (wmma.load wants multiples of 8).
template <class T, class Fragment>
TW_DEVICE void wmma_load(Fragment& fragment, Shared<T> tile, int ld) {
  nvcuda::wmma::load_matrix_sync(
      fragment, reinterpret_cast<const typename WmmaType<T>::type*>(tile.data), ld);
}

template <class T>
TW_DEVICE void wmma_multiply(WmmaAccumulator& d, const WmmaA<T>& a, const WmmaB<T>& b) {
  nvcuda::wmma::mma_sync(d, a, b, d);
}

TW_DEVICE void wmma_store(Shared<float> tile, const WmmaAccumulator& d, int ld) {
  nvcuda::wmma::store_matrix_sync(tile.data, d, ld, nvcuda::wmma::mem_row_major);
}

}  // namespace tilewright::hw::inline TW_TARGET
