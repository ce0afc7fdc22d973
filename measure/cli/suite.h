// Suites: problems written down in a TOML file. Words: benchmarks/suites/README.md.
#pragma once

#include <string>
#include <vector>

#include "tilewright/gemm.h"

namespace tilewright::measure::cli {

struct SuiteProblem {
  GemmProblem problem;
  std::vector<std::string> only;  // of the implementations that are asked for; empty: all
  std::vector<std::string> skip;
};

struct Suite {
  std::string name, description;
  std::vector<std::string>
      ids;  // what is compared when the command line does not say; may be empty
  std::vector<SuiteProblem> problems;
};

// Wrong usage, with line and column, for a file that is not a suite.
Suite read_suite(const std::string& path);

}  // namespace tilewright::measure::cli
