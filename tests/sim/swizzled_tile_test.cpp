// A tile that a tensor copy swizzles on its way, as matrices see it: by hand the rows' addresses,
// by the instructions' descriptions who gets which element.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hw/barrier.h"
#include "hw/element.h"
#include "hw/fence.h"
#include "hw/global.h"
#include "hw/index.h"
#include "hw/launch.h"
#include "hw/ldmatrix.h"
#include "hw/mbarrier.h"
#include "hw/shared.h"
#include "hw/stmatrix.h"
#include "hw/tensor_map.h"
#include "hw/tma.h"
#include "tilewright/device.h"

namespace tilewright::test {
namespace {

constexpr int kRows = 16, kColumns = 64, kSteps = kColumns / 16;

// What element (row, column) of the tile holds.
constexpr std::uint32_t tag(int row, int column) {
  return static_cast<std::uint32_t>(row * 256 + column + 1);
}
constexpr std::uint32_t pair(int row0, int column0, int row1, int column1) {
  return tag(row0, column0) | tag(row1, column1) << 16;
}

// What register i of a lane holds of the 16 x 16 elements that begin at `column`: matrices 0 and 1
// lie below each other, 2 and 3 to their right.
constexpr std::uint32_t wanted(bool transposed, int column, int lane, int i) {
  const int row0 = i % 2 * 8, column0 = column + i / 2 * 8;
  const int g = lane / 4, t = lane % 4;
  return transposed ? pair(row0 + 2 * t, column0 + g, row0 + 2 * t + 1, column0 + g)
                    : pair(row0 + g, column0 + 2 * t, row0 + g, column0 + 2 * t + 1);
}

struct TileParams {
  hw::TensorMap tile;
  hw::Global<std::uint32_t> registers;  // [2 plain, transposed][steps][lanes][4]
};

constexpr int kTileOffset = 1024;

// The row that this lane points to: lanes 0-15 the rows of the left half, 16-31 of the right one.
hw::Shared<hw::F16> row_of(int step) {
  const int row = hw::lane_index() % 16, piece = step * 2 + hw::lane_index() / 16;
  return hw::dynamic_shared<hw::F16>(kTileOffset + row * 128 + (piece ^ row % 8) * 16);
}

void load_tile(TileParams p) {
  const auto tile = hw::dynamic_shared<hw::F16>(kTileOffset);
  const hw::Mbarrier barrier = hw::dynamic_shared<std::uint64_t>(0);
  if (hw::thread_index() == 0) {
    hw::mbarrier_init(barrier, 1);
    hw::fence_mbarrier_init();
    hw::mbarrier_arrive_expect_tx(barrier, kRows * kColumns * 2);
    hw::tma_load(tile, p.tile, barrier, hw::TensorAt{0, 0});
  }
  hw::sync_threads();
  hw::mbarrier_wait(barrier, 0);
  for (int step = 0; step < kSteps; ++step) {
    std::uint32_t plain[4], transposed[4];
    hw::ldmatrix_x4(plain, row_of(step));
    hw::ldmatrix_x4_trans(transposed, row_of(step));
    for (int i = 0; i < 4; ++i) {
      const int at = (step * 32 + hw::lane_index()) * 4 + i;
      p.registers[at] = plain[i];
      p.registers[kSteps * 32 * 4 + at] = transposed[i];
    }
  }
}

template <bool kTransposed>
void store_tile(TileParams p) {
  for (int step = 0; step < kSteps; ++step) {
    std::uint32_t r[4];
    for (int i = 0; i < 4; ++i) r[i] = wanted(kTransposed, step * 16, hw::lane_index(), i);
    if constexpr (kTransposed) {
      hw::stmatrix_x4_trans(row_of(step), r);
    } else {
      hw::stmatrix_x4(row_of(step), r);
    }
  }
  hw::fence_proxy_async_shared();
  hw::sync_threads();
  if (hw::thread_index() == 0) {
    hw::tma_store(p.tile, hw::TensorAt{0, 0}, hw::dynamic_shared<hw::F16>(kTileOffset));
    hw::bulk_commit();
    hw::bulk_wait<0>();
  }
}

struct Memory {
  alignas(128) std::uint16_t tile[kRows][kColumns] = {};
  std::vector<std::uint32_t> registers = std::vector<std::uint32_t>(2 * kSteps * 32 * 4);

  void run(void (*kernel)(TileParams)) {
    const Result<hw::TensorMap> map = hw::encode_tensor_map({.type = hw::TensorType::kF16,
                                                             .rank = 2,
                                                             .base = tile,
                                                             .extents = {kColumns, kRows},
                                                             .strides_bytes = {kColumns * 2},
                                                             .box = {kColumns, kRows},
                                                             .swizzle = hw::TensorSwizzle::k128});
    ASSERT_TRUE(map.ok()) << map.status().message();
    const DeviceInfo device = *sim_device("h200");
    const std::vector<MemoryRange> ranges = {
        {tile, sizeof(tile), true, "the tile"},
        {registers.data(), static_cast<std::int64_t>(registers.size() * 4), true, "the registers"}};
    const Status status = hw::launch(
        kernel, TileParams{*map, {registers.data()}},
        {.blocks = 1, .threads = 32, .shared_bytes = kTileOffset + static_cast<int>(sizeof(tile))},
        {.name = "tile", .device = device, .stream = {}, .memory = ranges});
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

TEST(SwizzledTile, LdmatrixFindsTheElementsThatATensorCopyBrought) {
  Memory memory;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      memory.tile[row][column] = static_cast<std::uint16_t>(tag(row, column));
    }
  }
  ASSERT_NO_FATAL_FAILURE(memory.run(load_tile));
  std::size_t at = 0;
  for (const bool transposed : {false, true}) {
    for (int step = 0; step < kSteps; ++step) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 4; ++i, ++at) {
          ASSERT_EQ(memory.registers[at], wanted(transposed, step * 16, lane, i))
              << (transposed ? "transposed" : "plain") << ", step " << step << ", lane " << lane
              << ", register " << i;
        }
      }
    }
  }
}

TEST(SwizzledTile, ATensorCopyTakesAwayWhatStmatrixPutThere) {
  for (const auto kernel : {store_tile<false>, store_tile<true>}) {
    Memory memory;
    ASSERT_NO_FATAL_FAILURE(memory.run(kernel));
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        ASSERT_EQ(memory.tile[row][column], tag(row, column)) << row << ", " << column;
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::test
