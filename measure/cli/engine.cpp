// The tool as a shared object, for processes that are not ours to start: Python, with peers of its
// own. It is loaded by python/tilewright_peers and has one function.
#include <cstdint>

#include "git_commit.h"
#include "measure/cli/tool.h"
#include "tilewright/peer.h"

// Runs the tool with the words of a command line, the first of which is the tool's name. `peers`
// holds `count` tables that live as long as the process. The exit code of the command.
extern "C" int tw_tool_main(int argc, const char* const* argv, const tw_peer* peers,
                            std::uint32_t count) {
  return tilewright::measure::cli::run_tool_in_python(
      argc, argv, {TILEWRIGHT_BUILT_COMMIT, TILEWRIGHT_BUILT_DIRTY}, peers, count);
}
