// Where the threads of a block or a warp meet.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

// bar.sync 0: all threads of the block.
TW_DEVICE void sync_threads() {
  __syncthreads();
}
TW_DEVICE void sync_warp() {
  __syncwarp();
}

// bar.sync id, threads: waits until `threads` threads (whole warps) have come to barrier
// `id`, 1..15.
TW_DEVICE void barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;\n" ::"r"(id), "r"(threads) : "memory");
}
// bar.arrive id, threads: is counted there and goes on.
TW_DEVICE void barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;\n" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
