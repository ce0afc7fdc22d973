// What a CPU's speed depends on beside its model, read from the system.
#pragma once

#include <optional>
#include <string>

namespace tilewright::measure {

// What cannot be read is absent.
struct CpuState {
  std::optional<std::string> governor;  // of the first core
  std::optional<int> mhz;               // of the first core, at this moment
  std::optional<double> quota_cpus;     // of the control group; absent where there is no limit
  std::optional<double> load_1min;
  int usable_cpus = 0;  // by affinity
};

// `root` stands before /sys and /proc, for tests.
CpuState read_cpu_state(const std::string& root = "");

}  // namespace tilewright::measure
