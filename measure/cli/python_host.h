// Measuring with peers that are Python callables: the same command, run by the engine as a shared
// object inside a Python process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/cli/commands.h"

namespace tilewright::measure::cli {

bool is_python_file(std::string_view path);  // ends in .py

// Replaces this process where one of `ids` is a peer in Python that a Python here has, or one of
// `files` is a Python file; otherwise it returns, and peers that are missing say so in their rows.
// Inside Python it does nothing. Called before anything is printed or opened.
void enter_python(const Session& session, const std::vector<std::string>& ids,
                  const std::vector<std::string>& files);

// Replaces this process by `python -m words..`, with the packages beside the tool on its path.
[[noreturn]] void go_on_in_python(const std::string& python, std::vector<std::string> words);

}  // namespace tilewright::measure::cli
