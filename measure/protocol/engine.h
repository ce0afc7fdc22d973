// The engine behind compare(): rounds over implementations, with everything it touches passed in,
// so that tests run it with scripted implementations, devices and clocks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "measure/peers/implementation.h"
#include "measure/protocol/compare.h"
#include "measure/protocol/device.h"
#include "measure/protocol/gate.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {

struct Workbench {
  Device& device;
  TimerFactory make_timer;
  std::string timer;  // its name, for the record
  Reference reference;
};

// Who is timed when in round `round`: it starts at implementation round mod count, and runs
// backwards every second round, so that nobody has the same neighbour before it every time.
std::vector<std::size_t> round_order(std::size_t count, int round);

// One cell a problem. Ends early, keeping what it has, when the device is lost.
std::vector<Cell> compare_with(const CompareSpec& spec,
                               const std::vector<std::unique_ptr<Implementation>>& implementations,
                               Workbench bench, const Progress& progress);

}  // namespace tilewright::measure
