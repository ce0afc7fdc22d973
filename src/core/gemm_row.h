// A row of the GEMM registry: what dispatch, explain, list, the tests and the report all read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/memory_range.h"
#include "tilewright/gemm.h"

namespace tilewright {

struct GemmLaunch {
  const GemmProblem& problem;
  const GemmArgs& args;
  const DeviceInfo& device;
  Workspace workspace;
  Stream stream;
  int cpu_threads = 1;
  std::span<const MemoryRange> memory = {};  // what the kernel may touch; for the simulator alone
};

// Compute capability as one number, 90 for 9.0; both 0 for the CPU.
struct ComputeRange {
  int min = 0, max = 0;
};

struct GemmRow {
  std::string_view name;  // op-arch-mechanism-tile, stable: it is written to result files
  Backend backend;
  ComputeRange compute;
  bool is_reference;  // an oracle: chosen when named, on the CPU also when no other row takes it
  std::string_view summary;
  // Why this row cannot take the problem, in one sentence; empty when it can. Called after the
  // common checks (valid problem, right backend, compute capability in range) have passed.
  std::string (*reject)(const GemmProblem&, const DeviceInfo&);
  std::size_t (*workspace)(const GemmProblem&, const DeviceInfo&);
  // Called after the arguments were checked; M, N and batch are at least 1.
  Status (*launch)(const GemmLaunch&);
  // The same in the simulator; null for rows of the CPU.
  Status (*simulate)(const GemmLaunch&) = nullptr;
  double simulated_ns = 0;  // a multiply-add in the simulator on one core, measured
};

}  // namespace tilewright
