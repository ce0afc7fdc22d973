// The checks of one run(): pointers against what was planned. A few comparisons; only a refusal
// formats text.
#pragma once

#include <string_view>

#include "tilewright/gemm.h"

namespace tilewright {

// `problem` is valid and not empty; `c_layout` is validate_c(problem).
Status check_arguments(const GemmProblem& problem, const Status& c_layout, const GemmArgs& args);

Status check_workspace(std::string_view kernel, std::size_t needed_bytes, Workspace workspace);

}  // namespace tilewright
