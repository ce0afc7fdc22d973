// setmaxnreg, simulated: its rules are checked, registers are not counted.
#pragma once

#include "hw/attributes.h"
#include "hw/sim/machine.h"

namespace tilewright::hw::sim {
void set_registers(int count, Site at);
}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <int kCount>
TW_DEVICE void registers_increase(sim::Site at = sim::Site::current()) {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256, "a multiple of 8 in 24..256");
  sim::set_registers(kCount, at);
}
template <int kCount>
TW_DEVICE void registers_decrease(sim::Site at = sim::Site::current()) {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256, "a multiple of 8 in 24..256");
  sim::set_registers(kCount, at);
}

}  // namespace tilewright::hw::inline TW_TARGET
