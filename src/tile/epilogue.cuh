// alpha * accumulator + beta * C, rounded once, to rows of D that are contiguous along n and
// 16-byte aligned.
#pragma once

#include <cstdint>

#include "hw/convert.h"
#include "hw/copy.h"
#include "hw/index.h"
#include "tile/gemm_params.h"

namespace tilewright::tile {

// One matrix of the batch; c is null where beta is 0.
template <class Out>
struct Output {
  Out* d;
  const Out* c;
  std::int64_t ldd, ldc;
  std::int64_t m, n;
  float alpha, beta;

  TW_DEVICE float scaled(float sum, std::int64_t row, std::int64_t column) const {
    const float product = alpha * sum;
    if (c == nullptr || row >= m || column >= n) return product;
    return product + beta * hw::to_float(c[row * ldc + column]);
  }
};

template <class In, class Out>
TW_DEVICE Output<Out> output_of(const GemmParams<In, Out>& p, std::int64_t batch) {
  return {p.d + batch * p.d_strides.batch,
          p.c == nullptr ? nullptr : p.c + batch * p.c_strides.batch,
          p.d_strides.row,
          p.c_strides.row,
          p.m,
          p.n,
          p.alpha,
          p.beta};
}

// One element anywhere, in any order of C and D.
template <class In, class Out>
TW_DEVICE void store_one(const GemmParams<In, Out>& p, std::int64_t batch, std::int64_t m,
                         std::int64_t n, float sum) {
  if (m >= p.m || n >= p.n) return;
  float value = p.alpha * sum;
  if (p.c != nullptr) {
    const Strides& s = p.c_strides;
    value += p.beta * hw::to_float(p.c[batch * s.batch + m * s.row + n * s.col]);
  }
  const Strides& s = p.d_strides;
  p.d[batch * s.batch + m * s.row + n * s.col] = hw::from_float<Out>(value);
}

// Eight neighbours of one row, as words of two 16-bit elements; those past n are dropped.
template <class Out>
TW_DEVICE void store_words(const Output<Out>& out, std::int64_t row, std::int64_t column,
                           const hw::Vec16& words) {
  if (row >= out.m) return;
  Out* const d = out.d + row * out.ldd + column;
  if (column + 8 <= out.n) {
    hw::store_16(d, words);
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < out.n) {
      d[i] = Out{static_cast<std::uint16_t>(words.word[i / 2] >> i % 2 * 16)};
    }
  }
}

// Eight neighbours of one row, held by one thread as fp32 sums.
template <class Out>
TW_DEVICE void store_eight(const Output<Out>& out, std::int64_t row, std::int64_t column,
                           const float (&sums)[8]) {
  float values[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) values[i] = out.scaled(sums[i], row, column + i);
  hw::Vec16 words;
#pragma unroll
  for (int i = 0; i < 4; ++i) words.word[i] = hw::pack_pair<Out>(values[2 * i], values[2 * i + 1]);
  store_words(out, row, column, words);
}

// Two neighbours in fp32; `column` is even, so a whole pair is 8-byte aligned.
TW_DEVICE void store_pair(const Output<float>& out, std::int64_t row, std::int64_t column,
                          float low_sum, float high_sum) {
  if (row >= out.m || column >= out.n) return;
  float* const d = out.d + row * out.ldd + column;
  const float low = out.scaled(low_sum, row, column);
  if (column + 1 < out.n) {
    hw::store_8(d, low, out.scaled(high_sum, row, column + 1));
  } else {
    *d = low;
  }
}

template <>
TW_DEVICE void store_eight<float>(const Output<float>& out, std::int64_t row, std::int64_t column,
                                  const float (&sums)[8]) {
#pragma unroll
  for (int i = 0; i < 8; i += 2) store_pair(out, row, column + i, sums[i], sums[i + 1]);
}

// The lanes of a quad exchange words so that lane t, which held word j of four neighbouring pieces,
// holds piece t whole: a 4 x 4 transpose in two rounds of exchange.
TW_DEVICE void transpose_in_quad(hw::Vec16& v) {
  const int lane = hw::lane_index();
  auto& w = v.word;
  const bool odd = lane & 1;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned received = hw::shuffle_xor(odd ? w[i] : w[i + 1], 1);
    (odd ? w[i] : w[i + 1]) = received;
  }
  const bool upper = lane & 2;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned received = hw::shuffle_xor(upper ? w[i] : w[i + 2], 2);
    (upper ? w[i] : w[i + 2]) = received;
  }
}

}  // namespace tilewright::tile
