// The problems that a command works through, and who takes part in each: one problem, several
// cubes, or a suite.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measure/cli/problem_options.h"
#include "measure/protocol/compare.h"
#include "tilewright/device.h"

namespace tilewright::measure::cli {

class ProblemSetOptions {
 public:
  void add(CLI::App& command);
  // `only` are the ids asked for, or none; without any, the suite's, or `default_ids`.
  // Every problem has been checked as far as the library can tell without running it.
  std::vector<CompareGroup> groups(const DeviceInfo& device, const std::vector<std::string>& only,
                            const std::vector<std::string>& default_ids,
                            ProblemOptions::Zero zero) const;

 private:
  std::vector<CompareGroup> suite_groups(const DeviceInfo& device, const std::vector<std::string>& only,
                                  const std::vector<std::string>& default_ids) const;

  ProblemOptions problem_;
  std::optional<std::string> suite_, sizes_;
};

DType default_type(const DeviceInfo& device);

}  // namespace tilewright::measure::cli
