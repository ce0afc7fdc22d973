#include "measure/cards/cpu_state.h"

#include <sched.h>

#include <cstdlib>
#include <fstream>

namespace tilewright::measure {
namespace {

std::optional<std::string> first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? std::optional(word) : std::nullopt;
}

// "cpu MHz : 2400.000" of the first core.
std::optional<int> listed_mhz(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("cpu MHz") || colon == std::string::npos) continue;
    return static_cast<int>(std::strtod(line.c_str() + colon + 1, nullptr));
  }
  return std::nullopt;
}

// "200000 100000": so many microseconds of CPU in each period; "max 100000" without a limit.
std::optional<double> quota(const std::string& path) {
  std::ifstream file(path);
  double quota_us = 0, period_us = 0;
  if (!(file >> quota_us >> period_us) || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

CpuState read_cpu_state(const std::string& root) {
  CpuState state;
  const std::string frequency = root + "/sys/devices/system/cpu/cpu0/cpufreq/";
  state.governor = first_word(frequency + "scaling_governor");
  if (const auto khz = first_word(frequency + "scaling_cur_freq")) {
    state.mhz = static_cast<int>(std::strtol(khz->c_str(), nullptr, 10) / 1000);
  } else {
    state.mhz = listed_mhz(root + "/proc/cpuinfo");
  }
  state.quota_cpus = quota(root + "/sys/fs/cgroup/cpu.max");
  if (const auto load = first_word(root + "/proc/loadavg")) {
    state.load_1min = std::strtod(load->c_str(), nullptr);
  }
  state.usable_cpus = usable_cpus();
  return state;
}

}  // namespace tilewright::measure
