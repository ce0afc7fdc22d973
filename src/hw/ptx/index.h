// Where a thread stands, and how the threads of a block or a warp meet.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw {

TW_DEVICE int thread_index() {
  return static_cast<int>(threadIdx.x);
}
TW_DEVICE int lane_index() {
  return static_cast<int>(threadIdx.x) & 31;
}
TW_DEVICE int warp_index() {
  return static_cast<int>(threadIdx.x) >> 5;
}
TW_DEVICE unsigned block_index() {
  return blockIdx.x;
}

// bar.sync 0: all threads of the block.
TW_DEVICE void sync_threads() {
  __syncthreads();
}
TW_DEVICE void sync_warp() {
  __syncwarp();
}

// shfl.sync.bfly over the full warp.
TW_DEVICE unsigned shuffle_xor(unsigned value, int lane_mask) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask);
}

}  // namespace tilewright::hw
