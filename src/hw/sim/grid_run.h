// Running all clusters of a grid, and the places of synchronisation that tests take out.
#pragma once

#include <string>
#include <vector>

#include "hw/sim/machine.h"
#include "tilewright/status.h"

namespace tilewright::hw::sim {

// kDeviceError with the sentence of the first cluster that went wrong.
Status run_grid(const GridRun& grid);

// While one lives, every place of a synchronisation that a simulation on any thread comes to is
// collected. For tests: one at a time.
class SyncPlaces {
 public:
  SyncPlaces();
  ~SyncPlaces();
  SyncPlaces(const SyncPlaces&) = delete;
  SyncPlaces& operator=(const SyncPlaces&) = delete;
  std::vector<std::string> names() const;  // "v4_swizzle.cuh:197", sorted
};

}  // namespace tilewright::hw::sim
