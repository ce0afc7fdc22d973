// Where simulated threads meet.
#pragma once

#include "hw/attributes.h"
#include "hw/index.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE void sync_threads(sim::Site at = sim::Site::current()) {
  sim::barrier(0, thread_count(), true, at);
}
TW_DEVICE void sync_warp(sim::Site at = sim::Site::current()) {
  sim::warp_barrier(at);
}
TW_DEVICE void barrier_sync(int id, int threads, sim::Site at = sim::Site::current()) {
  sim::barrier(id, threads, true, at);
}
TW_DEVICE void barrier_arrive(int id, int threads, sim::Site at = sim::Site::current()) {
  sim::barrier(id, threads, false, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
