#include "hw/sim/registers.h"

#include <fmt/format.h>

namespace tilewright::hw::sim {

// All warps of all warpgroups together may not ask for more than an SM has.
void set_registers(int count, Site at) {
  Machine& machine = Machine::now();
  Thread* self = &machine.self();
  machine.meet_warp("setmaxnreg", at, *self, [&](std::span<Thread*> lanes) {
    lanes[0]->warp->registers = count;
    int asked = 0;
    for (const Warp& warp : lanes[0]->block->warps) asked += warp.registers * 32;
    constexpr int kOfAnSm = 65536;
    if (asked > kOfAnSm) {
      machine.fail(at,
                   fmt::format("the warps of the block ask for {} registers together; an SM has "
                               "{}",
                               asked, kOfAnSm));
    }
  });
}

}  // namespace tilewright::hw::sim
