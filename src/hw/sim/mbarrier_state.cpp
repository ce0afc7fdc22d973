#include "hw/sim/mbarrier_state.h"

#include <fmt/format.h>

#include "hw/sim/synchronisation.h"

namespace tilewright::hw::sim {
namespace {

constexpr std::uint32_t kBytes = 8;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;

void check_bytes(const MbarrierState& barrier, Site at) {
  if (barrier.bytes <= kMostBytes && barrier.bytes >= -kMostBytes) return;
  Machine::now().fail(
      at, fmt::format("{} expects more than 2^20 - 1 bytes at once", barrier.describe()));
}

// A thread that waits for the phase it has already waited for goes on with old data.
void pass(MbarrierState& barrier, Site at) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  const auto phases = static_cast<std::int64_t>(barrier.phase) + 1;
  std::int64_t& passed = barrier.passed[self.slot];
  if (passed == phases) {
    machine.fail(at, fmt::format("the wait passes on a stale phase: this thread has waited for "
                                 "phase {} of {} before",
                                 static_cast<std::int64_t>(barrier.phase) - 1, barrier.describe()));
  }
  passed = phases;
  self.knows.join(barrier.complete);
}

// Brings a thread's cp.async to an end and then arrives, for nobody in particular.
class ArriveAfterCopies : public Floating {
 public:
  ArriveAfterCopies(MbarrierState& barrier, std::vector<std::shared_ptr<AsyncWrite>> copies)
      : barrier_(barrier), copies_(std::move(copies)) {}
  void land(Machine& machine) override {
    for (const auto& copy : copies_) {
      copy->finish(barrier_.slot, barrier_.phase + 1);
      barrier_.note_landing(copy->at());
    }
    --barrier_.pending;
    barrier_.settle(machine);
  }

 private:
  MbarrierState& barrier_;
  std::vector<std::shared_ptr<AsyncWrite>> copies_;
};

}  // namespace

std::string MbarrierState::describe() const {
  return fmt::format(
      "the mbarrier at shared byte {} of block {} (made at {}; phase {}, {} of {} "
      "arrivals missing, {} bytes expected)",
      offset, block->index, made_at.name(), phase, pending, expected, bytes);
}

void MbarrierState::settle(Machine& machine) {
  if (pending != 0 || bytes != 0) return;
  ++phase;
  pending = expected;
  complete.join(arriving);
  complete.seen.set(slot, phase);
  for (Thread* sleeper : std::exchange(sleepers, {})) machine.wake(*sleeper);
}

void make_mbarrier(std::uint32_t offset, int arrivals, Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  constexpr int kMostArrivals = (1 << 20) - 1;
  if (arrivals < 1 || arrivals > kMostArrivals) {
    machine.fail(at, fmt::format("an mbarrier cannot count {} arrivals; 1 to 2^20 - 1 are accepted",
                                 arrivals));
  }
  machine.check_shared(*self.block, offset, kBytes, kBytes, "makes an mbarrier of", at);
  machine.fail_if(at, self.block->shadow.claim(self.actor(), {offset, kBytes}, at));
  auto barrier = std::make_unique<MbarrierState>();
  barrier->block = self.block;
  barrier->offset = offset;
  barrier->slot = machine.take_slot(at);
  barrier->expected = barrier->pending = arrivals;
  barrier->arriving = barrier->complete = self.knows;
  barrier->passed.assign(static_cast<std::size_t>(machine.grid().threads * machine.grid().cluster),
                         -1);
  barrier->maker = self.slot;
  barrier->made = self.knows.seen[self.slot];
  barrier->made_at = at;
  machine.mbarriers().push_back(std::move(barrier));
}

MbarrierState& find_mbarrier(Block& block, std::uint32_t offset, bool from_outside, Site at) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  self.last = at;
  for (const auto& each : machine.mbarriers()) {
    if (each->block != &block || each->offset != offset) continue;
    if (each->maker != self.slot && !self.knows.seen.covers(each->maker, each->made)) {
      machine.fail(at,
                   fmt::format("{} is used, and no synchronisation orders that after its making",
                               each->describe()));
    }
    if (from_outside && !each->announced) {
      machine.fail(at, fmt::format("{} is used by a copy or by another block without "
                                   "fence.mbarrier_init after its making",
                                   each->describe()));
    }
    return *each;
  }
  machine.fail(
      at, fmt::format("there is no mbarrier at shared byte {} of block {}", offset, block.index));
}

void unmake_mbarrier(std::uint32_t offset, Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  MbarrierState& barrier = find_mbarrier(*self.block, offset, false, at);
  if (barrier.bytes != 0 || !barrier.sleepers.empty()) {
    machine.fail(at, fmt::format("{} is unmade while in use", barrier.describe()));
  }
  machine.fail_if(at, self.block->shadow.release(self.actor(), {offset, kBytes}, at));
  barrier.block = nullptr;
}

void expect_bytes(MbarrierState& barrier, std::int64_t bytes, Site at) {
  barrier.bytes += bytes;
  check_bytes(barrier, at);
}

void arrive(MbarrierState& barrier, std::int64_t bytes, Site at) {
  Machine& machine = Machine::now();
  Thread& self = machine.self();
  barrier.bytes += bytes;
  check_bytes(barrier, at);
  if (barrier.pending == 0) {
    machine.fail(at, fmt::format("one arrival too many at {}", barrier.describe()));
  }
  barrier.arriving.join(self.knows);
  self.knows.seen.advance(self.slot);
  --barrier.pending;
  barrier.settle(machine);
}

void wait(MbarrierState& barrier, unsigned parity, Site at) {
  Machine& machine = Machine::now();
  while (!barrier.has_completed(parity)) {
    barrier.sleepers.push_back(&machine.self());
    machine.sleep({Waiting::For::kMbarrier, 0, &barrier, parity, at});
  }
  pass(barrier, at);
}

bool try_wait(MbarrierState& barrier, unsigned parity, bool may_sleep, Site at) {
  Machine& machine = Machine::now();
  if (barrier.has_completed(parity)) {
    if (may_sleep) {
      pass(barrier, at);
    } else {
      machine.self().knows.join(barrier.complete);  // a look; a wait may follow
    }
    return true;
  }
  if (may_sleep && machine.draw(4) != 0) {
    wait(barrier, parity, at);
    return true;
  }
  machine.poll(at);
  return false;
}

void arrive_after_copies(MbarrierState& barrier, Site) {
  Machine& machine = Machine::now();
  CopyGroups<AsyncWrite>& copies = machine.self().copies;
  std::vector<std::shared_ptr<AsyncWrite>> all = std::exchange(copies.open, {});
  for (auto& group : copies.committed) {
    all.insert(all.end(), group.begin(), group.end());
    group.clear();
  }
  machine.float_off(std::make_unique<ArriveAfterCopies>(barrier, std::move(all)));
}

void fence_mbarrier_init(Site at) {
  if (is_dropped(at)) return;
  Machine& machine = Machine::now();
  for (const auto& barrier : machine.mbarriers()) {
    if (barrier->maker == machine.self().slot) barrier->announced = true;
  }
}

}  // namespace tilewright::hw::sim
