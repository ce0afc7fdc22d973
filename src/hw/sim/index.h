// Where a simulated thread stands.
#pragma once

#include "hw/attributes.h"
#include "hw/sim/machine.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE int thread_index() {
  return sim::Machine::now().self().index;
}
TW_DEVICE int thread_count() {
  return sim::Machine::now().grid().threads;
}
TW_DEVICE int lane_index() {
  return thread_index() & 31;
}
TW_DEVICE int warp_index() {
  return thread_index() >> 5;
}
TW_DEVICE unsigned block_index() {
  return sim::Machine::now().self().block->index;
}
TW_DEVICE unsigned block_count() {
  return sim::Machine::now().grid().blocks;
}

}  // namespace tilewright::hw::inline TW_TARGET
