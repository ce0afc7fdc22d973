// Under which schedules the simulator runs a kernel: --sim-seeds, --sim-seed, --sim-copies,
// --force.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tilewright/device.h"

namespace tilewright::measure::cli {

class SimScheduleOptions {
 public:
  void add(CLI::App& command);
  // `device` once a schedule; itself alone where it is no simulator, for which the words are
  // refused.
  std::vector<DeviceInfo> devices(const DeviceInfo& device) const;
  std::string describe() const;

 private:
  std::vector<std::uint64_t> seeds() const;
  std::vector<SimCopies> copies() const;

  std::string seeds_, seed_, copies_;
  bool force_ = false;
};

}  // namespace tilewright::measure::cli
