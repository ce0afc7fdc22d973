// Bringing tiles of 16-bit elements from global to shared memory in chunks of 16 bytes.
//
// A tile is kRows x kColumns, its columns contiguous in memory; rows and chunks outside the matrix
// arrive as zeros and are not read. Every row must start 16-byte aligned. The tiles of a stream
// follow each other along k, all alike but the last. What a thread needs to know of its chunks is
// worked out once; from tile to tile only pointers move.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/copy.h"
#include "hw/global.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "layout/shared_tile.h"

namespace tilewright::tile::inline TW_TARGET {

using layout::kChunkElements;

// How much of a tile lies inside the matrix.
struct Extent {
  int rows, columns;
};

template <class T, int kRows, int kColumns, int kThreads, class Layout>
class ChunkStream {
 public:
  static constexpr int kPerRow = kColumns / kChunkElements;
  static constexpr int kRowsPerStep = kThreads / kPerRow;
  static constexpr int kSteps =
      kRows / kRowsPerStep;  // chunks a thread takes, rows below each other
  static_assert(kThreads % kPerRow == 0 && kRows % kRowsPerStep == 0,
                "the threads must cover the tile in whole steps");
  static_assert(kRowsPerStep % Layout::kPeriod == 0,
                "a thread's chunks must lie a whole period of the layout apart");

  // What is left of the matrix in every tile, and in the last one.
  TW_DEVICE ChunkStream(hw::Global<const T> tile, std::int64_t ld, Extent each, Extent last)
      : from_(tile + row() * ld + column()),
        step_(kRowsPerStep * ld),
        target_(Layout::offset(row(), column() / kChunkElements)),
        each_(own_part(each)),
        last_(own_part(last)) {}

  TW_DEVICE void advance(std::int64_t elements) { from_ += elements; }

  // Starts the copy; it belongs to the thread's open cp.async group. kWhole promises that no chunk
  // of any tile is cut by the matrix's edge.
  template <bool kWhole>
  TW_DEVICE void copy_async(hw::Shared<T> tile, bool last) const {
    const Part part = last ? last_ : each_;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool inside = step * kRowsPerStep < part.rows;
      const auto to = tile + target(step);
      const auto from = from_ + step * step_;
      if constexpr (kWhole) {
        hw::cp_async_16_if(to, from, inside);
      } else {
        hw::cp_async_16(to, from, inside ? part.bytes : 0);
      }
    }
  }

  // The same through registers, all loads before the first store. What is left of this tile is
  // given anew: registers are what such a kernel is short of.
  TW_DEVICE void copy(hw::Shared<T> tile, Extent extent) const {
    const Part part = own_part(extent);
    hw::Vec16 chunks[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool inside = step * kRowsPerStep < part.rows;
      chunks[step] = hw::load_16_or_zero(from_ + step * step_, inside ? part.bytes : 0);
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      hw::store_16(tile + target(step), chunks[step]);
    }
  }

 private:
  // A thread's part of an extent: rows inside it from the thread's first chunk down, and how much
  // of each chunk.
  struct Part {
    int rows, bytes;
  };

  static TW_DEVICE int row() {
    return hw::thread_index() / kPerRow;
  }
  static TW_DEVICE int column() {
    return hw::thread_index() % kPerRow * kChunkElements;
  }
  static TW_DEVICE Part own_part(Extent extent) {
    const int elements = extent.columns - column();
    const int in_row = elements < 0 ? 0 : elements > kChunkElements ? kChunkElements : elements;
    return {in_row == 0 ? 0 : extent.rows - row(), in_row * static_cast<int>(sizeof(T))};
  }
  TW_DEVICE int target(int step) const {
    return target_ + step * kRowsPerStep * Layout::kPitch;
  }

  hw::Global<const T> from_;
  std::int64_t step_;  // elements from one chunk of this thread to the next
  int target_;
  Part each_, last_;
};

}  // namespace tilewright::tile::inline TW_TARGET
