// The engine behind compare(): rounds over implementations, with everything it touches passed in,
// so that tests run it with scripted implementations, devices, cards and clocks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "measure/cards/card.h"
#include "measure/peers/implementation.h"
#include "measure/protocol/card_watch.h"
#include "measure/protocol/compare.h"
#include "measure/protocol/device.h"
#include "measure/protocol/gate.h"
#include "measure/protocol/run_clock.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {

struct Workbench {
  Device& device;
  TimerFactory make_timer;
  Reference reference;
  Card& card;
  RunClock& clock;
  CardWatch& watch;
};

// A problem and who takes part in it.
struct CellSpec {
  GemmProblem problem;
  std::vector<Implementation*> implementations;
};

// What a cell is before anything was measured: the problem and the way.
Cell empty_cell(const GemmProblem& problem, const Protocol& protocol, const DeviceInfo& device);

// One cell each. Ends early, keeping what it has, when the device is lost or another process is
// found on it. `protocol` is settled.
ComparedCells compare_with(const std::vector<CellSpec>& cells, const Protocol& protocol,
                           Workbench bench, const Progress& progress);

// How fast the device reads, and copies, more than its cache holds; 0 where that fails.
Bandwidths measure_bandwidths(Workbench bench);

}  // namespace tilewright::measure
