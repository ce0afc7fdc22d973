// The instructions by which threads wait for each other and for copies, as the simulator runs them.
#pragma once

#include <cstdint>

#include "hw/sim/machine.h"
#include "hw/sim/site.h"

namespace tilewright::hw::sim {

// True when the call at this place is to do nothing: a test takes one synchronisation out and must
// see the run fail. Also writes the place down when a test collects them.
bool is_dropped(Site at);

void barrier(int id, int threads, bool waits, Site at);
void warp_barrier(Site at);
void cluster_arrive(bool releases, Site at);
void cluster_wait(Site at);
// A thread has ended; a cluster barrier counts those that have not.
void cluster_exit(Machine& machine);

// The block of this rank, which must still be running.
Block& live_block(int rank, Site at);
// The same for an access that this thread makes itself: the block must not end before it knows of
// it.
Block& block_of_rank(int rank, Site at);

void commit_copies(Site at);
void wait_copies(std::size_t pending, Site at);
void commit_bulk_stores(Site at);
void wait_bulk_stores(std::size_t pending, bool only_reads, Site at);

void fence_proxy(Site at);
void fence_mbarrier_init(Site at);

MbarrierState& find_mbarrier(Block& block, std::uint32_t offset, bool from_outside, Site at);
void make_mbarrier(std::uint32_t offset, int arrivals, Site at);
void unmake_mbarrier(std::uint32_t offset, Site at);
void arrive(MbarrierState& barrier, std::int64_t bytes, Site at);  // bytes: expect_tx before it
void expect_bytes(MbarrierState& barrier, std::int64_t bytes, Site at);
bool try_wait(MbarrierState& barrier, unsigned parity, bool may_sleep, Site at);
void wait(MbarrierState& barrier, unsigned parity, Site at);
void arrive_after_copies(MbarrierState& barrier, Site at);

}  // namespace tilewright::hw::sim
