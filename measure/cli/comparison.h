// What compare and bench share: measure groups of problems, keep the journal, print the table.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "measure/cli/commands.h"
#include "measure/cli/device_choice.h"
#include "measure/cli/problem_set.h"
#include "measure/protocol/compare.h"

namespace tilewright::measure::cli {

struct OutputWords {
  std::string out, format;
  bool quiet = false, resume = false, strict = false;
};
void add_output(CLI::App& command, OutputWords& words);

struct Comparison {
  DeviceChoice chosen;
  std::vector<CompareGroup> groups;
  std::vector<Protocol> passes;  // one a clock, in the order of measuring
};

// The output path is tried before anything is measured.
Exit run_comparison(const Session& session, const Comparison& comparison, const OutputWords& words);

}  // namespace tilewright::measure::cli
