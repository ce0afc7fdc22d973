// Bringing a tile of 16-bit elements from global to shared memory in chunks of 16 bytes.
//
// The tile is kRows x kColumns, its columns contiguous in memory; rows and chunks outside the
// matrix arrive as zeros and are not read. Every row must start 16-byte aligned.
#pragma once

#include <cstdint>

#include "hw/copy.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "layout/swizzle.h"

namespace tilewright::tile {

using layout::kChunkElements;

// Which chunk a thread takes in each of kSteps steps: neighbours in a row, rows below each other.
template <int kRows, int kColumns, int kThreads>
struct ChunkMap {
  static constexpr int kPerRow = kColumns / kChunkElements;
  static constexpr int kRowsPerStep = kThreads / kPerRow;
  static constexpr int kSteps = kRows / kRowsPerStep;
  static_assert(kThreads % kPerRow == 0 && kRows % kRowsPerStep == 0,
                "the threads must cover the tile in whole steps");

  static TW_DEVICE int chunk() { return hw::thread_index() % kPerRow; }
  static TW_DEVICE int row(int step) { return hw::thread_index() / kPerRow + step * kRowsPerStep; }
};

// How many of `extent` elements a tile of `tile` still finds, as a cheap 32-bit number.
TW_DEVICE int left_in_tile(std::int64_t extent, int tile) {
  return extent < tile ? static_cast<int>(extent) : tile;
}

TW_DEVICE int clamp_to_chunk(int elements) {
  return elements <= 0 ? 0 : elements >= kChunkElements ? kChunkElements : elements;
}

// Asynchronously; `offset_of(row, chunk)` is where a chunk lies in the shared tile, in elements.
template <class Map, class T, class OffsetOf>
TW_DEVICE void copy_tile_async(hw::Shared<T> target, const T* source, std::int64_t ld,
                               int rows_left, int columns_left, OffsetOf offset_of) {
  const int chunk = Map::chunk();
  const int in_row = clamp_to_chunk(columns_left - chunk * kChunkElements);
#pragma unroll
  for (int step = 0; step < Map::kSteps; ++step) {
    const int row = Map::row(step);
    const int elements = row < rows_left ? in_row : 0;
    hw::cp_async_16(target + offset_of(row, chunk), source + row * ld + chunk * kChunkElements,
                    elements * static_cast<int>(sizeof(T)));
  }
}

// Through registers, in two halves so that a barrier can stand between them.
template <class Map, class T>
TW_DEVICE void load_tile(hw::Vec16 (&chunks)[Map::kSteps], const T* source, std::int64_t ld,
                         int rows_left, int columns_left) {
  const int chunk = Map::chunk();
  const int in_row = clamp_to_chunk(columns_left - chunk * kChunkElements);
#pragma unroll
  for (int step = 0; step < Map::kSteps; ++step) {
    const int row = Map::row(step);
    const T* from = source + row * ld + chunk * kChunkElements;
    chunks[step] = {};
    if (row >= rows_left) continue;
    if (in_row == kChunkElements) {
      chunks[step] = hw::load_16(from);
    } else {
#pragma unroll
      for (int i = 0; i < kChunkElements; ++i) {
        if (i < in_row)
          chunks[step].word[i / 2] |= static_cast<unsigned>(from[i].bits) << i % 2 * 16;
      }
    }
  }
}

template <class Map, class T, class OffsetOf>
TW_DEVICE void store_tile(hw::Shared<T> target, const hw::Vec16 (&chunks)[Map::kSteps],
                          OffsetOf offset_of) {
#pragma unroll
  for (int step = 0; step < Map::kSteps; ++step) {
    hw::store_16((target + offset_of(Map::row(step), Map::chunk())).data, chunks[step]);
  }
}

}  // namespace tilewright::tile
