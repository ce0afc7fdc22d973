// alpha * accumulator + beta * C, rounded once, to rows of D that are contiguous along n and
// 16-byte aligned.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/convert.h"
#include "hw/copy.h"
#include "hw/global.h"
#include "hw/index.h"
#include "hw/warp.h"
#include "tile/block_tile.cuh"
#include "tile/gemm_params.h"

namespace tilewright::tile::inline TW_TARGET {

// The tile of D that a block owns: pointers at its upper left element, c null where beta is 0. Rows
// and columns count from there, so that they are cheap 32-bit numbers.
template <class Out>
struct OutputTile {
  hw::Global<Out> d;
  hw::Global<const Out> c;
  std::int64_t ldd, ldc;
  int rows, columns;  // how much of the tile is inside the matrix
  float alpha, beta;

  // beta * C for neighbours in a row; only where c is not null.
  template <int kCount>
  TW_DEVICE void add_c(float (&values)[kCount], int row, int column) const {
    if (row >= rows) return;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (column + i < columns) values[i] += beta * hw::to_float(c[row * ldc + column + i]);
    }
  }
};

template <class In, class Out>
TW_DEVICE OutputTile<Out> output_tile(const GemmParams<In, Out>& p, const BlockTile& at, int rows,
                                      int columns) {
  const auto offset = [&](const Strides& s) { return at.batch * s.batch + at.m0 * s.row + at.n0; };
  return {p.d + offset(p.d_strides),
          p.c == nullptr ? p.c : p.c + offset(p.c_strides),
          p.d_strides.row,
          p.c_strides.row,
          rows,
          columns,
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
TW_DEVICE void store_words(const OutputTile<Out>& out, int row, int column,
                           const hw::Vec16& words) {
  if (row >= out.rows) return;
  const auto d = out.d + row * out.ldd + column;
  if (column + 8 <= out.columns) {
    hw::store_16(d, words);
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < out.columns) {
      d[i] = Out{static_cast<std::uint16_t>(words.word[i / 2] >> i % 2 * 16)};
    }
  }
}

// Two neighbours in fp32; `column` is even, so a whole pair is 8-byte aligned.
TW_DEVICE void store_pair(const OutputTile<float>& out, int row, int column, float low,
                          float high) {
  if (row >= out.rows || column >= out.columns) return;
  const auto d = out.d + row * out.ldd + column;
  if (column + 1 < out.columns) {
    hw::store_8(d, low, high);
  } else {
    d[0] = low;
  }
}

// Eight neighbours of one row, held by one thread as fp32 sums.
template <class Out>
TW_DEVICE void store_eight(const OutputTile<Out>& out, int row, int column, float (&sums)[8]) {
#pragma unroll
  for (float& each : sums) each *= out.alpha;
  if (out.c != nullptr) out.add_c(sums, row, column);
  if constexpr (sizeof(Out) == 4) {
#pragma unroll
    for (int i = 0; i < 8; i += 2) store_pair(out, row, column + i, sums[i], sums[i + 1]);
  } else {
    hw::Vec16 words;
#pragma unroll
    for (int i = 0; i < 4; ++i) words.word[i] = hw::pack_pair<Out>(sums[2 * i], sums[2 * i + 1]);
    store_words(out, row, column, words);
  }
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

// What a tensor core leaves a quad of lanes with: lane t holds neighbours 2t and 2t + 1 of four
// pieces of eight, 32 columns of a row from `column` on. Scaled and with beta * C already.
template <class Out>
TW_DEVICE void store_scaled_quads(const OutputTile<Out>& out, int row, int column,
                                  const float (&quads)[4][2]) {
  const int in_quad = hw::lane_index() % 4;
  if constexpr (sizeof(Out) == 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      store_pair(out, row, column + j * 8 + in_quad * 2, quads[j][0], quads[j][1]);
    }
  } else {
    hw::Vec16 words;
#pragma unroll
    for (int j = 0; j < 4; ++j) words.word[j] = hw::pack_pair<Out>(quads[j][0], quads[j][1]);
    transpose_in_quad(words);
    store_words(out, row, column + in_quad * 8, words);
  }
}

// The same from bare sums.
template <class Out>
TW_DEVICE void store_quads(const OutputTile<Out>& out, int row, int column, float (&quads)[4][2]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    quads[j][0] *= out.alpha;
    quads[j][1] *= out.alpha;
    if (out.c != nullptr) out.add_c(quads[j], row, column + j * 8 + hw::lane_index() % 4 * 2);
  }
  store_scaled_quads(out, row, column, quads);
}

}  // namespace tilewright::tile::inline TW_TARGET
