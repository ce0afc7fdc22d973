// Command lines of the tool, written so that a shell takes them back.
#pragma once

#include <string>
#include <vector>

#include "tilewright/device.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

std::string command_line(const std::vector<std::string>& words);

// The words for a problem that the tool's own words can say: --m, --n, --k, --dtype, and what
// departs from the default.
std::vector<std::string> words_of(const GemmProblem& problem);

// Runs one kernel on one problem under one schedule of the simulator again: `command` with its
// implementations, problems and schedules replaced.
std::string replay_line(const std::vector<std::string>& command, const std::string& id,
                        const GemmProblem& problem, const SimInfo& sim);

}  // namespace tilewright::measure
