#include "hw/sim/synchronisation.h"

#include <fmt/format.h>

namespace tilewright::hw::sim {
namespace {

// Hands over what this thread knows; what it does from here on is not part of that.
void release(Knowledge& to) {
  Thread& self = Machine::now().self();
  to.join(self.knows);
  self.knows.seen.advance(self.slot);
}

int living_threads(Machine& machine) {
  int living = 0;
  for (int rank = 0; rank < machine.grid().cluster; ++rank) {
    living += machine.grid().threads - machine.block(rank).exited;
  }
  return living;
}

void end_round_if_complete(Machine& machine) {
  ClusterMeeting& meeting = machine.cluster_meeting();
  if (meeting.arrived == 0 || meeting.arrived < living_threads(machine)) return;
  meeting.arrived = 0;
  ++meeting.rounds;
  meeting.complete.join(meeting.brought);
  for (Thread* sleeper : std::exchange(meeting.sleepers, {})) machine.wake(*sleeper);
}

}  // namespace

void barrier(int id, int threads, bool waits, Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  if (id < 0 || id > 15) {
    machine.fail(at, fmt::format("there is no barrier {}; 0 to 15 exist", id));
  }
  if (threads % 32 != 0 && threads != machine.grid().threads) {
    machine.fail(at, fmt::format("barrier {} is asked to count {} threads; whole warps are counted",
                                 id, threads));
  }
  NamedBarrier& barrier = self.block->barriers[static_cast<std::size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = threads;
    barrier.brought = self.knows;
    barrier.came.assign(static_cast<std::size_t>(machine.grid().threads), false);
  } else if (barrier.expected != threads) {
    machine.fail(at, fmt::format("barrier {} counts {} threads in this round, and this one says {}",
                                 id, barrier.expected, threads));
  }
  if (barrier.came[static_cast<std::size_t>(self.index)]) {
    machine.fail(at, fmt::format("the thread comes to barrier {} twice in one round", id));
  }
  release(barrier.brought);
  barrier.came[static_cast<std::size_t>(self.index)] = true;
  if (++barrier.arrived < barrier.expected) {
    if (!waits) return;
    barrier.sleepers.push_back(&self);
    machine.sleep({Waiting::For::kBarrier, id, nullptr, 0, at});
    return;
  }
  for (Thread* sleeper : barrier.sleepers) {
    sleeper->knows.join(barrier.brought);
    machine.wake(*sleeper);
  }
  if (waits) self.knows.join(barrier.brought);
  barrier.arrived = 0;
  barrier.sleepers.clear();
}

void warp_barrier(Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp("__syncwarp", at, *self, [](std::span<Thread*> lanes) {
    Knowledge all = lanes[0]->knows;
    for (Thread* lane : lanes) all.join(lane->knows);
    for (Thread* lane : lanes) {
      lane->knows.join(all);
      lane->knows.seen.advance(lane->slot);
    }
  });
}

void cluster_arrive(bool releases, Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  if (self.cluster_arrivals != self.cluster_waits) {
    machine.fail(at, "the thread arrives at the cluster's barrier twice without a wait in between");
  }
  ClusterMeeting& meeting = machine.cluster_meeting();
  if (releases) release(meeting.brought);
  ++self.cluster_arrivals;
  ++meeting.arrived;
  end_round_if_complete(machine);
}

void cluster_wait(Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  if (self.cluster_arrivals == self.cluster_waits) {
    machine.fail(at, "the thread waits at the cluster's barrier without having arrived there");
  }
  ClusterMeeting& meeting = machine.cluster_meeting();
  while (meeting.rounds < self.cluster_arrivals) {
    meeting.sleepers.push_back(&self);
    machine.sleep({Waiting::For::kCluster, 0, nullptr, 0, at});
  }
  self.cluster_waits = self.cluster_arrivals;
  self.knows.join(meeting.complete);
}

void cluster_exit(Machine& machine) {
  end_round_if_complete(machine);
}

Block& live_block(int rank, Site at) {
  Machine& machine = Machine::now();
  machine.self().last = at;
  if (rank < 0 || rank >= machine.grid().cluster) {
    machine.fail(
        at, fmt::format("there is no block {} in a cluster of {}", rank, machine.grid().cluster));
  }
  Block& block = machine.block(rank);
  if (block.exited == machine.grid().threads) {
    machine.fail(at, fmt::format("block {} of the cluster has ended", rank));
  }
  return block;
}

Block& block_of_rank(int rank, Site at) {
  Block& block = live_block(rank, at);
  Machine& machine = Machine::now();
  if (&block != machine.self().block) machine.note_remote_access(block);
  return block;
}

void commit_copies(Site at) {
  if (is_dropped(at)) return;
  Machine::now().self().copies.commit();
}

void wait_copies(std::size_t pending, Site at) {
  if (is_dropped(at)) return;
  Thread& self = Machine::now().self();
  self.last = at;
  for (auto& groups = self.copies.committed; groups.size() > pending; groups.pop_front()) {
    for (const auto& copy : groups.front()) copy->finish(self.slot, self.knows.seen[self.slot]);
  }
}

void commit_bulk_stores(Site at) {
  if (is_dropped(at)) return;
  Machine::now().self().bulk_stores.commit();
}

void wait_bulk_stores(std::size_t pending, bool only_reads, Site at) {
  if (is_dropped(at)) return;
  Thread& self = Machine::now().self();
  self.last = at;
  auto& groups = self.bulk_stores.committed;
  for (std::size_t i = 0; i + pending < groups.size(); ++i) {
    for (const auto& store : groups[i]) {
      store->finish_read(self);
      if (!only_reads) store->write();
    }
  }
  if (only_reads) return;
  while (groups.size() > pending) groups.pop_front();
}

void fence_proxy(Site at) {
  if (is_dropped(at)) return;
  Thread& self = Machine::now().self();
  self.last = at;
  self.knows.fenced.join(self.knows.seen);
}

}  // namespace tilewright::hw::sim
