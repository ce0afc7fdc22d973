// A run in the simulator: what the kernel may touch, and whether it would end today.
#pragma once

#include "core/gemm_row.h"

namespace tilewright {

// How long the row would take over the problem, in seconds, as far as its measured rate tells.
double simulated_seconds(const GemmRow& row, const GemmProblem& problem, int threads);

// kUnsupported where the row has no form for the simulator and, with the estimate, for what would
// take longer than a minute, unless forced.
Status check_simulation(const GemmRow& row, const GemmProblem& problem, const DeviceInfo& device);

Status simulate(const GemmRow& row, GemmLaunch launch);  // of a row that passed the check

}  // namespace tilewright
