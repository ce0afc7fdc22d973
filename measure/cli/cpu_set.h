// --cpus: which CPUs this process and every thread of it may use.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilewright::measure::cli {

void add_cpus_option(CLI::App& command, std::string& words);

// "0-3,8". Before any thread is started and any library is loaded, since both count the CPUs that
// they may use. Nothing for empty words; wrong usage for a CPU that this process may not use.
void keep_to_cpus(const std::string& words);

}  // namespace tilewright::measure::cli
