// mbarrier, simulated: the same phases, arrivals and byte counts, kept beside shared memory.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/shared.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::inline TW_TARGET {

using Mbarrier = Shared<std::uint64_t>;

}  // namespace tilewright::hw::inline TW_TARGET

namespace tilewright::hw::sim {

inline MbarrierState& own_mbarrier(Mbarrier barrier, Site at) {
  return find_mbarrier(*Machine::now().self().block, barrier.offset, false, at);
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE void mbarrier_init(Mbarrier barrier, int arrivals, sim::Site at = sim::Site::current()) {
  sim::make_mbarrier(barrier.offset, arrivals, at);
}
TW_DEVICE void mbarrier_invalidate(Mbarrier barrier, sim::Site at = sim::Site::current()) {
  sim::unmake_mbarrier(barrier.offset, at);
}
TW_DEVICE void mbarrier_arrive(Mbarrier barrier, sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::arrive(sim::own_mbarrier(barrier, at), 0, at);
}
TW_DEVICE void mbarrier_expect_tx(Mbarrier barrier, int bytes,
                                  sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::expect_bytes(sim::own_mbarrier(barrier, at), bytes, at);
}
TW_DEVICE void mbarrier_arrive_expect_tx(Mbarrier barrier, int bytes,
                                         sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::arrive(sim::own_mbarrier(barrier, at), bytes, at);
}
TW_DEVICE void mbarrier_arrive_remote(Mbarrier barrier, int rank,
                                      sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::arrive(sim::find_mbarrier(sim::block_of_rank(rank, at), barrier.offset, true, at), 0, at);
}
TW_DEVICE bool mbarrier_try_wait(Mbarrier barrier, unsigned parity,
                                 sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return true;
  return sim::try_wait(sim::own_mbarrier(barrier, at), parity, true, at);
}
TW_DEVICE bool mbarrier_test_wait(Mbarrier barrier, unsigned parity,
                                  sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return true;
  return sim::try_wait(sim::own_mbarrier(barrier, at), parity, false, at);
}
TW_DEVICE void mbarrier_wait(Mbarrier barrier, unsigned parity,
                             sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::wait(sim::own_mbarrier(barrier, at), parity, at);
}
TW_DEVICE void cp_async_mbarrier_arrive(Mbarrier barrier, sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::arrive_after_copies(sim::own_mbarrier(barrier, at), at);
}

}  // namespace tilewright::hw::inline TW_TARGET
