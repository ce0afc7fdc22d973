// Names of implementations on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "measure/cli/commands.h"
#include "tilewright/device.h"

namespace tilewright::measure::cli {

// --peer FILE, as often as there are files.
void add_peer_option(CLI::App& command, std::vector<std::string>& files);
// Before any id is looked up; `ids` are those of the command line. Wrong usage for a file that is
// no peer. Where a file or an id needs Python, the command goes on there.
void load_peers(const Session& session, const std::vector<std::string>& files,
                const std::vector<std::string>& ids);

// The plan's choice ("tilewright") or a kernel of ours by id; everything else is a peer.
bool is_ours(std::string_view id);

// The id among `known` that `word` names: exactly, or by a kernel id without its architecture word
// (gemm-ladder-v4 for gemm-cuda-ladder-v4) where only one fits. Empty where none does; several are
// wrong usage.
std::string find_id(std::string_view option, std::string_view word,
                    const std::vector<std::string>& known);

// The same, and wrong usage where none does.
std::string id_in_file(std::string_view option, std::string_view word,
                       const std::vector<std::string>& ids);

// The ids that a list names on a device, in the order given. Wrong usage, with near names, for one
// that does not exist there.
std::vector<std::string> resolve_ids(std::string_view option, const std::vector<std::string>& words,
                                     const DeviceInfo& device);

}  // namespace tilewright::measure::cli
