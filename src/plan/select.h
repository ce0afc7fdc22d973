// Which kernel, and why not the others. Pure functions of their arguments: rows and presets are
// passed in, so that the rules are tested with made-up ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/gemm_registry.h"
#include "plan/presets.h"

namespace tilewright {

using GemmPresets = std::span<const GemmPreset>;

// Why `row` cannot take a valid problem on `device`, in one sentence; empty when it can. Looks at
// backend and compute capability before it asks the row.
std::string refusal(const GemmRow& row, const GemmProblem& problem, const DeviceInfo& device);

// The row for a valid problem: the one that `kernel` names, else the first preset's that takes it,
// else the first in order that is no reference. On the CPU a reference takes what no other row
// does; on a card it runs only when named, since it would be slower by orders of magnitude there.
Result<const GemmRow*> select_gemm(GemmRows rows, GemmPresets presets, const GemmProblem& problem,
                                   const DeviceInfo& device, std::string_view kernel = {});

// One entry a row, in order.
std::vector<Rejection> explain_gemm(GemmRows rows, GemmPresets presets, const GemmProblem& problem,
                                    const DeviceInfo& device);

}  // namespace tilewright
