// An mbarrier as the simulator keeps it, and the barrier of a whole cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/sim/clock.h"
#include "hw/sim/site.h"

namespace tilewright::hw::sim {

struct Block;
struct Thread;
class Machine;

struct MbarrierState {
  Block* block = nullptr;
  std::uint32_t offset = 0;  // in the block's dynamic shared memory
  Slot slot = 0;             // its ticks are the phases that are complete
  int expected = 0;          // arrivals a phase
  int pending = 0;           // still missing in this phase
  std::int64_t bytes = 0;    // expected and not yet arrived
  unsigned phase = 0;
  Knowledge arriving;  // what those who arrived in this phase know
  Knowledge complete;  // what those who wait for the last phase learn
  std::vector<Thread*> sleepers;
  std::vector<std::int64_t> passed;  // a thread slot: phases it has waited for, the last one + 1
  Slot maker = 0;
  Tick made = 0;
  bool announced =
      false;  // fence.mbarrier_init: other blocks and the asynchronous proxy may use it
  Site made_at;
  Tick landed = 0;  // the phase that the last copy to land belongs to
  Site landed_at;   // where that copy was asked for

  void note_landing(Site at) {
    landed = phase + 1;
    landed_at = at;
  }

  bool has_completed(unsigned parity) const { return (phase & 1) != (parity & 1); }
  // Ends the phase when nothing is missing any more.
  void settle(Machine& machine);
  std::string describe() const;
};

struct ClusterMeeting {
  int arrived = 0;
  unsigned rounds = 0;  // complete
  Knowledge brought, complete;
  std::vector<Thread*> sleepers;
};

}  // namespace tilewright::hw::sim
