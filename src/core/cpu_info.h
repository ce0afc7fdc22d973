// How cpu_device() reads a machine, in parts that tests feed with made-up machines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/device.h"

namespace tilewright {

// The text of a file; empty when there is no such file.
using ReadFile = std::function<std::string(const std::string& path)>;

// The first "model name" of /proc/cpuinfo; empty when there is none.
std::string cpu_model_of(std::string_view cpuinfo);

// The tightest CPU quota of this process's cgroups and all their parents, v1 and v2, in cores
// rounded up; none when nothing limits it.
std::optional<int> cgroup_quota_cores(const ReadFile& read);

// "48K", "2M" and plain bytes as sysfs writes them; none for anything else.
std::optional<std::int64_t> parse_cache_bytes(std::string_view text);

// Fills the cache sizes that sysfs knows for one logical CPU and leaves the others.
void read_caches(const ReadFile& read, int logical_cpu, CpuInfo& cpu);

// The words of CPUID that decide, and XCR0: the register state that the system saves.
struct CpuidWords {
  std::uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_edx = 0, leaf7_1_eax = 0;
  std::uint32_t extended1_ecx = 0;
  std::uint64_t xcr0 = 0;
};

// Fills isa and the feature flags. An instruction set whose registers the system does not save is
// not there.
void set_features(const CpuidWords& words, CpuInfo& cpu);

}  // namespace tilewright
