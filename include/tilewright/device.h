// What the library knows of a machine. DeviceInfo is passed in to every planning call, so the
// choice for a card can be asked for, and tested, on a machine that has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/status.h"

namespace tilewright {

enum class Backend : std::uint8_t { kCpu, kCuda, kSim };

constexpr std::string_view name_of(Backend backend) {
  switch (backend) {
    case Backend::kCpu:
      return "cpu";
    case Backend::kCuda:
      return "cuda";
    case Backend::kSim:
      return "sim";
  }
  return "?";
}

// Vector instruction sets that a CPU row may use, in rising order.
enum class CpuIsa : std::uint8_t { kBaseline, kAvx2, kAvx512 };

struct CpuInfo {
  std::string model;
  int cores = 1;  // what this process may use: affinity mask and cgroup quota, at least 1
  CpuIsa isa = CpuIsa::kBaseline;  // the highest of ours that this CPU and its system support
  bool avx512_bf16 = false, avx512_fp16 = false, amx_bf16 = false, amx_int8 = false;
  std::int64_t l1d_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 8 << 20;
};

struct GpuInfo {
  std::string uuid;
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  int sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0;
  std::int64_t shared_per_block_bytes = 0;  // with opt-in
  std::int64_t shared_per_sm_bytes = 0;
  int driver_version = 0, runtime_version = 0;  // as CUDA writes them: 13000 is 13.0
};

// When the simulator lets an asynchronous copy land: at once, when nothing else can go on, or some
// time in between. A right kernel gives the same result under all three.
enum class SimCopies : std::uint8_t { kEarly, kLate, kRandom };

constexpr std::string_view name_of(SimCopies copies) {
  switch (copies) {
    case SimCopies::kEarly:
      return "early";
    case SimCopies::kLate:
      return "late";
    case SimCopies::kRandom:
      return "random";
  }
  return "?";
}

// How the simulator runs a kernel. The same values give the same run.
struct SimInfo {
  std::uint64_t seed = 1;  // of the order in which threads go on and copies land
  SimCopies copies = SimCopies::kRandom;
  int threads = 0;     // of the host, 0 for all that this process may use
  bool force = false;  // also runs what takes longer than a minute
  // For tests of kernels: the synchronisation at this place of the kernel's text, as in
  // "v4_swizzle.cuh:197", does nothing. A kernel that still passes does not need it.
  std::string drop_site = {};
};

struct DeviceInfo {
  Backend backend = Backend::kCpu;
  int index = 0;
  std::string name;  // CPU model or GPU name, as the machine gives it
  CpuInfo cpu;       // filled for every backend: host facts
  GpuInfo gpu;       // backend kCuda and kSim only
  SimInfo sim;       // backend kSim only

  int compute_capability() const { return gpu.compute_major * 10 + gpu.compute_minor; }
};

// This machine's CPU.
DeviceInfo cpu_device();

// GPU `index`; kNoDevice with the driver's own reason when there is none, when the driver is older
// than the toolkit, or when the library was built without CUDA.
Result<DeviceInfo> cuda_device(int index = 0);

// A card by name, without having it: "h200", "h100", "a100", ... See card_names().
Result<DeviceInfo> card(std::string_view name);
std::vector<std::string_view> card_names();

// The simulator in the place of a card: runs every CUDA kernel that the card would take, on the
// CPU, and stops at the first error in how its threads work together (docs/simulator.md).
Result<DeviceInfo> sim_device(std::string_view card = "h200");

}  // namespace tilewright
