// The tool as a function: words in, exit code out.
#pragma once

#include "measure/record/provenance.h"

namespace tilewright::measure::cli {

int run_tool(int argc, const char* const* argv, const BuiltFrom& built);

}  // namespace tilewright::measure::cli
