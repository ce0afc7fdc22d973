// Where a thread stands in its block and its grid. Both are one-dimensional.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE int thread_index() {
  return static_cast<int>(threadIdx.x);
}
TW_DEVICE int thread_count() {
  return static_cast<int>(blockDim.x);
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
TW_DEVICE unsigned block_count() {
  return gridDim.x;
}

}  // namespace tilewright::hw::inline TW_TARGET
