// The tool as a function: words in, exit code out.
#pragma once

#include <cstdint>

#include "measure/record/provenance.h"
#include "tilewright/peer.h"

namespace tilewright::measure::cli {

int run_tool(int argc, const char* const* argv, const BuiltFrom& built);

// The same in a process that brings peers of its own: `count` tables that live as long as it does.
int run_tool_in_python(int argc, const char* const* argv, const BuiltFrom& built,
                       const tw_peer* peers, std::uint32_t count);

}  // namespace tilewright::measure::cli
