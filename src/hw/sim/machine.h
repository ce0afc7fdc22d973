// One cluster of a simulated grid: its blocks, warps and threads, the order in which they run, and
// the asynchronous operations that are under way.
//
// A cluster runs on one OS thread; its threads are fibers that give way where they wait for others.
// Which of them goes on is drawn at random from the seed. The first error ends the run: the fiber
// that made it is never resumed, and neither is any other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/memory_range.h"
#include "hw/sim/async.h"
#include "hw/sim/clock.h"
#include "hw/sim/fiber.h"
#include "hw/sim/mbarrier_state.h"
#include "hw/sim/shadow.h"
#include "hw/sim/site.h"
#include "hw/sim/wgmma_state.h"
#include "tilewright/device.h"

namespace tilewright::hw::sim {

struct Block;
struct Warp;
class Machine;

// What a thread that is not running waits for, for the list that a hang prints.
struct Waiting {
  enum class For : std::uint8_t { kNothing, kBarrier, kWarp, kWarpgroup, kMbarrier, kCluster };
  For what = For::kNothing;
  int barrier = 0;                          // kBarrier
  const MbarrierState* mbarrier = nullptr;  // kMbarrier
  unsigned parity = 0;
  Site at;
};

struct Thread {
  Fiber fiber;
  int index = 0;  // in its block
  Slot slot = 0;
  Block* block = nullptr;
  Warp* warp = nullptr;
  Knowledge knows;
  Waiting waiting;
  bool exited = false;
  Site last;  // the last instruction that told its place
  unsigned cluster_arrivals = 0, cluster_waits = 0;
  CopyGroups<AsyncWrite> copies;  // cp.async
  CopyGroups<BulkStore> bulk_stores;

  Actor actor() const { return {knows, slot}; }
  int lane() const { return index % 32; }
};

// Threads that meet in one instruction: all lanes of a warp or of a warpgroup. Each leaves the
// address of its operands; the last one to come acts for all.
struct Meeting {
  const char* instruction = nullptr;
  Site at;
  int arrived = 0;
  std::vector<void*> operands;
};

struct Warp {
  int index = 0;
  Block* block = nullptr;
  Meeting meeting;
  Slot agent = 0;     // stands for the warp's share of asynchronous products
  int exited = 0;     // lanes
  int registers = 0;  // of a thread, as setmaxnreg set them; 0 before
  WarpProducts products;
};

struct NamedBarrier {
  int arrived = 0, expected = 0;
  Knowledge brought;
  std::vector<Thread*> sleepers;
  std::vector<bool> came;  // by thread, in this round
};

struct Block {
  int rank = 0;        // in its cluster
  unsigned index = 0;  // in the grid
  std::vector<std::byte> memory;
  Shadow shadow;
  std::array<NamedBarrier, 16> barriers;
  std::vector<Warp> warps;
  std::vector<Meeting> warpgroups;
  std::deque<WarpgroupProducts> products;  // one a warpgroup
  int exited = 0;
};

struct GridRun {
  const char* name;  // of the kernel
  unsigned blocks;
  int threads, shared_bytes, cluster;
  const SimInfo* sim;
  int os_threads;
  std::span<const MemoryRange> memory;
  std::function<void()> body;  // what every thread runs
};

class Machine {
 public:
  // The machine whose fiber is running on this OS thread.
  static Machine& now();

  // Simulates cluster `index`; an empty sentence when nothing went wrong.
  std::string run(const GridRun& grid, unsigned index);

  // --- from inside a fiber ---
  Thread& self() { return *running_; }
  const GridRun& grid() const { return *grid_; }
  unsigned cluster_index() const { return cluster_index_; }
  Block& block(int rank) { return blocks_[static_cast<std::size_t>(rank)]; }
  Thread& thread(const Block& block, int index) {
    return threads_[static_cast<std::size_t>(block.rank * grid_->threads + index)];
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool lands_now() { return grid_->sim->copies == SimCopies::kEarly; }

  [[noreturn]] void fail(Site at, const std::string& sentence);
  // The same from an operation that lands, which may be outside any fiber.
  void report(const Block& block, Site at, const std::string& sentence);
  void fail_if(Site at, const std::string& sentence) {
    if (!sentence.empty()) fail(at, sentence);
  }
  // Gives way until wake() of this thread.
  void sleep(const Waiting& waiting);
  void wake(Thread& thread);

  // Where all lanes of a warp, or all threads of a warpgroup, meet: `act` is called once, by the
  // last to come, with everybody's operands in order.
  template <class Operands, class Act>
  void meet_warp(const char* instruction, Site at, Operands& operands, Act act) {
    if (come_to(self().warp->meeting, 32, {Waiting::For::kWarp, 0, nullptr, 0, at}, instruction,
                &operands)) {
      act(std::span(reinterpret_cast<Operands**>(self().warp->meeting.operands.data()), 32));
      part(self().warp->meeting, self().warp->index * 32, 32);
    }
  }
  template <class Operands, class Act>
  void meet_warpgroup(const char* instruction, Site at, Operands& operands, Act act) {
    Meeting& meeting = warpgroup_meeting(at);
    if (come_to(meeting, 128, {Waiting::For::kWarpgroup, 0, nullptr, 0, at}, instruction,
                &operands)) {
      act(std::span(reinterpret_cast<Operands**>(meeting.operands.data()), 128));
      part(meeting, self().index / 128 * 128, 128);
    }
  }

  // Shared memory, checked. Offsets count from the start of the block's dynamic shared memory.
  std::byte* shared_for_read(Block& block, std::uint32_t offset, std::uint32_t bytes, Site at);
  std::byte* shared_for_write(Block& block, std::uint32_t offset, std::uint32_t bytes, Site at);
  void check_shared(const Block& block, std::uint32_t offset, std::uint32_t bytes,
                    std::uint32_t alignment, const char* does, Site at);
  std::byte* shared_for_update(Block& block, std::uint32_t offset, std::uint32_t bytes, Site at);
  // Global memory: inside what the launch was given.
  void check_global(const void* data, std::int64_t bytes, std::int64_t alignment, bool writes,
                    Site at);

  // What lands by itself some time: at once when copies are early, when nothing else can go on
  // when they are late, in between at random.
  void float_off(std::unique_ptr<Floating> operation);

  // A thread that asks again and again: lets others go on, and things land.
  void poll(Site at);

  Slot take_slot(Site at);  // for an mbarrier
  std::vector<std::unique_ptr<MbarrierState>>& mbarriers() { return mbarriers_; }
  ClusterMeeting& cluster_meeting() { return cluster_meeting_; }
  void note_remote_access(const Block& target);
  std::uint32_t elected_lane(const Warp& warp) const;

 private:
  static void run_thread(void* thread);
  void prepare(const GridRun& grid, unsigned index);
  void schedule();
  bool land_one();
  void leave_thread();
  void check_end();
  bool is_known_in(const Block& block, Slot slot, Tick tick);
  std::string describe_hang() const;
  Meeting& warpgroup_meeting(Site at);
  bool come_to(Meeting& meeting, int expected, const Waiting& waiting, const char* instruction,
               void* operands);
  void part(Meeting& meeting, int first_thread, int count);

  struct RemoteAccess {
    int block;
    Slot slot;
    Tick tick;
    Site at;
  };

  const GridRun* grid_ = nullptr;
  unsigned cluster_index_ = 0;
  Stacks stacks_;
  std::mt19937_64 random_;
  std::vector<Block> blocks_;
  std::deque<Thread> threads_;
  std::vector<Thread*> ready_;
  Thread* running_ = nullptr;
  std::vector<std::unique_ptr<Floating>> floating_;
  std::vector<std::unique_ptr<MbarrierState>> mbarriers_;
  ClusterMeeting cluster_meeting_;
  std::vector<RemoteAccess> remote_accesses_;
  Slot next_slot_ = 0;
  std::size_t slots_ = 0;
  std::string failure_;
  std::uint64_t elect_seed_ = 0;
  std::uint64_t polls_ = 0;
};

}  // namespace tilewright::hw::sim
