// What a launch needs beside the kernel and its parameters, on both targets.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory_range.h"
#include "tilewright/device.h"
#include "tilewright/gemm.h"

namespace tilewright::hw {

struct LaunchShape {
  std::uint64_t blocks;  // of all clusters together, a multiple of `cluster`, at most 2^31 - 1
  int threads;           // a block
  int shared_bytes = 0;  // dynamic, a block
  int cluster = 1;       // blocks of a cluster; more than 1 from sm_90 on
};

struct LaunchContext {
  const char* name;  // of the kernel, for sentences
  const DeviceInfo& device;
  Stream stream;
  std::span<const MemoryRange> memory;  // what the kernel may touch; read by the simulator alone
};

}  // namespace tilewright::hw
