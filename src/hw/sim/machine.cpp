#include "hw/sim/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hw/sim/synchronisation.h"

namespace tilewright::hw::sim {
namespace {

thread_local Machine* current = nullptr;

constexpr std::size_t kMostMbarriers = 192;  // of a cluster
constexpr std::byte kPoison{0xff};           // NaN in every floating type

}  // namespace

Machine& Machine::now() {
  return *current;
}

void Machine::prepare(const GridRun& grid, unsigned index) {
  grid_ = &grid;
  cluster_index_ = index;
  const auto blocks = static_cast<std::size_t>(grid.cluster);
  const auto threads = static_cast<std::size_t>(grid.threads), count = blocks * threads;
  const std::size_t warps = (threads + 31) / 32;
  random_.seed(grid.sim->seed * 0x9e3779b97f4a7c15u + index);
  elect_seed_ = random_();
  // Warps of 32 slots each, so that a reader's mask never spans two.
  const std::size_t agents = (count + 31) / 32 * 32;
  next_slot_ = static_cast<Slot>(agents + blocks * warps);
  slots_ = next_slot_ + kMostMbarriers;
  failure_.clear();
  floating_.clear();
  mbarriers_.clear();
  remote_accesses_.clear();
  polls_ = 0;
  cluster_meeting_ = {};
  cluster_meeting_.brought.reset(slots_);
  cluster_meeting_.complete.reset(slots_);
  ready_.clear();
  threads_.clear();
  threads_.resize(count);
  blocks_.clear();
  blocks_.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    Block& block = blocks_[b];
    block.rank = static_cast<int>(b);
    block.index = index * static_cast<unsigned>(grid.cluster) + static_cast<unsigned>(b);
    block.memory.assign(static_cast<std::size_t>(grid.shared_bytes), kPoison);
    block.shadow.reset(static_cast<std::uint32_t>(grid.shared_bytes));
    block.warps.resize(warps);
    block.warpgroups.resize((threads + 127) / 128);
    block.products.resize(block.warpgroups.size());
    for (std::size_t w = 0; w < warps; ++w) {
      Warp& warp = block.warps[w];
      warp.index = static_cast<int>(w);
      warp.block = &block;
      warp.agent = static_cast<Slot>(agents + b * warps + w);
    }
    for (std::size_t t = 0; t < threads; ++t) {
      Thread& thread = threads_[b * threads + t];
      thread.index = static_cast<int>(t);
      thread.slot = static_cast<Slot>(b * threads + t);
      thread.block = &block;
      thread.warp = &block.warps[t / 32];
      thread.knows.reset(slots_);
      thread.knows.seen.set(thread.slot, 1);
      thread.fiber.start(stacks_.bottom(b * threads + t), run_thread, &thread);
      ready_.push_back(&thread);
    }
  }
}

std::string Machine::run(const GridRun& grid, unsigned index) {
  if (!stacks_.reserve(static_cast<std::size_t>(grid.cluster) *
                       static_cast<std::size_t>(grid.threads))) {
    return "the system refuses memory for the threads' stacks";
  }
  prepare(grid, index);
  current = this;
  schedule();
  if (failure_.empty()) check_end();
  current = nullptr;
  running_ = nullptr;
  return failure_;
}

void Machine::schedule() {
  while (failure_.empty()) {
    if (grid_->sim->copies == SimCopies::kRandom && !floating_.empty() && draw(4) == 0) land_one();
    if (ready_.empty()) {
      if (land_one()) continue;
      const auto is_running = [](const Thread& thread) { return !thread.exited; };
      if (std::any_of(threads_.begin(), threads_.end(), is_running)) failure_ = describe_hang();
      return;
    }
    std::swap(ready_[draw(ready_.size())], ready_.back());
    running_ = ready_.back();
    ready_.pop_back();
    running_->fiber.resume();
  }
}

bool Machine::land_one() {
  if (floating_.empty()) return false;
  std::swap(floating_[draw(floating_.size())], floating_.back());
  const std::unique_ptr<Floating> operation = std::move(floating_.back());
  floating_.pop_back();
  operation->land(*this);
  return true;
}

void Machine::float_off(std::unique_ptr<Floating> operation) {
  if (lands_now()) {
    operation->land(*this);
  } else {
    floating_.push_back(std::move(operation));
  }
}

void Machine::run_thread(void* thread) {
  Machine& machine = now();
  machine.grid_->body();
  machine.leave_thread();
  static_cast<Thread*>(thread)->fiber.leave();
}

void Machine::leave_thread() {
  Thread& thread = self();
  if (thread.warp->meeting.arrived > 0) {
    fail(thread.last,
         fmt::format("the thread ends while lanes of its warp meet in {} at {}",
                     thread.warp->meeting.instruction, thread.warp->meeting.at.name()));
  }
  for (const auto& copy : thread.copies.open) {
    fail(copy->at(), "the thread ends with a cp.async that belongs to no committed group");
  }
  for (const auto& group : thread.copies.committed) {
    for (const auto& copy : group) {
      fail(copy->at(), "the thread ends with a cp.async that nothing has waited for");
    }
  }
  for (const auto& store : thread.bulk_stores.open) {
    fail(store->at(), "the thread ends with a bulk store that belongs to no committed group");
  }
  for (const auto& group : thread.bulk_stores.committed) {
    for (const auto& store : group) {
      if (!store->source_is_free()) {
        fail(store->at(),
             "the thread ends while its bulk store may still be reading shared memory");
      }
      store->write();
    }
  }
  thread.exited = true;
  ++thread.warp->exited;
  ++thread.block->exited;
  cluster_exit(*this);
}

bool Machine::is_known_in(const Block& block, Slot slot, Tick tick) {
  for (int t = 0; t < grid_->threads; ++t) {
    if (thread(block, t).knows.seen.covers(slot, tick)) return true;
  }
  return false;
}

void Machine::check_end() {
  for (const auto& barrier : mbarriers_) {
    if (barrier->block != nullptr && barrier->bytes != 0) {
      report(*barrier->block, barrier->made_at,
             fmt::format("the block ends with an unbalanced {}", barrier->describe()));
    }
    if (barrier->block != nullptr && barrier->landed != 0 &&
        !is_known_in(*barrier->block, barrier->slot, barrier->landed)) {
      report(*barrier->block, barrier->landed_at,
             "the block ends with a copy that nothing has waited for");
    }
  }
  for (Block& block : blocks_) {
    for (const WarpgroupProducts& products : block.products) {
      if (products.is_pending()) {
        report(block, products.last_site(),
               "the block ends with a wgmma that nothing has waited for");
      }
    }
  }
  // A block lives until its last thread ends; one of its threads must have known of the access.
  for (const RemoteAccess& access : remote_accesses_) {
    const Block& target = blocks_[static_cast<std::size_t>(access.block)];
    if (!is_known_in(target, access.slot, access.tick)) {
      report(
          target, access.at,
          "another block's access may come after this block has ended: nothing here waits for it");
    }
  }
}

void Machine::note_remote_access(const Block& target) {
  const Tick tick = self().knows.seen[self().slot];
  for (RemoteAccess& each : remote_accesses_) {
    if (each.block == target.rank && each.slot == self().slot) {
      each.tick = tick;
      each.at = self().last;
      return;
    }
  }
  remote_accesses_.push_back({target.rank, self().slot, tick, self().last});
}

void Machine::fail(Site at, const std::string& sentence) {
  if (failure_.empty()) {
    failure_ = fmt::format("block {}, thread {}, {}: {}", self().block->index, self().index,
                           at.name(), sentence);
  }
  self().fiber.pause();
  std::abort();  // a fiber that failed is never resumed
}

void Machine::report(const Block& block, Site at, const std::string& sentence) {
  if (failure_.empty()) {
    failure_ = fmt::format("block {}, {}: {}", block.index, at.name(), sentence);
  }
}

void Machine::poll(Site at) {
  constexpr std::uint64_t kMost = 20'000'000, kUntilOneLands = 256;
  if (++polls_ > kMost) fail(at, "a thread asks for a flag again and again, which nobody sets");
  if (polls_ % kUntilOneLands == 0) land_one();
  wake(self());
  sleep({Waiting::For::kNothing, 0, nullptr, 0, at});
}

void Machine::sleep(const Waiting& waiting) {
  Thread& thread = self();
  thread.waiting = waiting;
  thread.fiber.pause();
}

void Machine::wake(Thread& thread) {
  thread.waiting = {};
  ready_.push_back(&thread);
}

Slot Machine::take_slot(Site at) {
  if (next_slot_ == slots_) {
    fail(at, fmt::format("more than {} mbarriers are made in one cluster", kMostMbarriers));
  }
  return next_slot_++;
}

std::uint32_t Machine::elected_lane(const Warp& warp) const {
  return static_cast<std::uint32_t>((elect_seed_ >> (warp.index % 12 * 5)) % 32);
}

Meeting& Machine::warpgroup_meeting(Site at) {
  const auto group = static_cast<std::size_t>(self().index / 128);
  if ((static_cast<int>(group) + 1) * 128 > grid_->threads) {
    fail(at, "a wgmma needs a whole warpgroup of 128 threads");
  }
  return self().block->warpgroups[group];
}

bool Machine::come_to(Meeting& meeting, int expected, const Waiting& waiting,
                      const char* instruction, void* operands) {
  Thread& thread = self();
  thread.last = waiting.at;
  if (thread.warp->exited > 0) {
    fail(waiting.at, fmt::format("{} needs its whole warp, of which {} lanes have ended",
                                 instruction, thread.warp->exited));
  }
  if (thread.warp->index * 32 + 32 > grid_->threads) {
    fail(waiting.at, fmt::format("{} needs a whole warp; this one has {} lanes", instruction,
                                 grid_->threads % 32));
  }
  if (meeting.arrived == 0) {
    meeting.instruction = instruction;
    meeting.at = waiting.at;
    meeting.operands.resize(static_cast<std::size_t>(expected));
  } else if (!(meeting.at == waiting.at) || std::strcmp(meeting.instruction, instruction) != 0) {
    fail(waiting.at, fmt::format("divergent: this thread comes to {} while others of its warp are "
                                 "in {} at {}",
                                 instruction, meeting.instruction, meeting.at.name()));
  }
  meeting.operands[static_cast<std::size_t>(thread.index % expected)] = operands;
  if (++meeting.arrived == expected) return true;
  sleep(waiting);
  return false;
}

void Machine::part(Meeting& meeting, int first_thread, int count) {
  meeting.arrived = 0;
  for (int i = first_thread; i < first_thread + count; ++i) {
    Thread& other = thread(*self().block, i);
    if (&other != &self()) wake(other);
  }
}

}  // namespace tilewright::hw::sim
