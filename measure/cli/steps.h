// The ladder's table: what each step of a series of kernels gains.
#pragma once

#include <string>
#include <vector>

#include "measure/record/result.h"
#include "measure/record/table.h"

namespace tilewright::measure::cli {

struct StepsQuery {
  std::vector<std::string> steps;  // ids, in order
  std::string against;             // the id whose speed is 100 %
};

// People get a row a step and a column a problem; programs a row for each step and problem.
Table steps_table(const RunFile& run, const StepsQuery& query, Format format);

}  // namespace tilewright::measure::cli
