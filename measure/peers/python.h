// Peers that are Python callables (python/tilewright_peers). They run in the process that measures,
// so the tool starts its own command again inside a Python that has what they need.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/peers/implementation.h"

namespace tilewright::measure {

struct PythonPeer {
  std::string_view id;
  Backend backend;
  std::string_view module;  // what its Python must have
};

// Those that come with the tool. They take part where they are named, not by default.
std::span<const PythonPeer> python_peers();
bool is_python_peer(std::string_view id);

// The path of a Python that has all `modules`: the one that TILEWRIGHT_PYTHON names and no other,
// or the first of python3 and python on PATH. Otherwise a sentence that says what is missing.
Result<std::string> find_python(const std::vector<std::string_view>& modules);

// What stands for such a peer outside Python: it can say what is missing.
std::unique_ptr<Implementation> make_python_peer(const PythonPeer& peer);

}  // namespace tilewright::measure
