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
  std::string timer;  // its name, for the record
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

// One cell each. Ends early, keeping what it has, when the device is lost or another process is
// found on it. `protocol` is settled.
Comparison compare_with(const std::vector<CellSpec>& cells, const Protocol& protocol,
                        Workbench bench, const Progress& progress);

// How fast the device reads, and copies, more than its cache holds; 0 where that fails.
Bandwidths measure_bandwidths(Workbench bench);

}  // namespace tilewright::measure
