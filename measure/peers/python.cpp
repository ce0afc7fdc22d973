#include "measure/peers/python.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace tilewright::measure {
namespace {

constexpr std::array kPythonPeers = {
    PythonPeer{"torch-matmul", Backend::kCuda, "torch"},
    PythonPeer{"torch-matmul", Backend::kCpu, "torch"},
    PythonPeer{"triton-matmul", Backend::kCuda, "triton"},
};

// A word with a slash is a path; another one is looked for on PATH. Empty where there is none.
std::string executable_named(const std::string& word) {
  if (word.find('/') != word.npos) return access(word.c_str(), X_OK) == 0 ? word : "";
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string candidate = fmt::format("{}/{}", left.substr(0, end), word);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return "";
}

// Looks the modules up without importing them, which would take seconds.
bool has_modules(const std::string& python, const std::vector<std::string_view>& modules) {
  std::string program =
      "import sys, importlib.util as u; sys.exit(not all(u.find_spec(m) for m in sys.argv[1:]))";
  std::vector<std::string> words = {python, "-c", program};
  words.insert(words.end(), modules.begin(), modules.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int spawned =
      posix_spawn(&child, python.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  return spawned == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

class OutsidePython final : public Implementation {
 public:
  explicit OutsidePython(const PythonPeer& peer)
      : peer_(peer), python_(find_python({peer.module})) {}

  std::string_view id() const override { return peer_.id; }
  std::string missing() const override { return python_ ? "" : python_.status().message(); }
  Provenance provenance() const override {
    Provenance from;
    from.version = "inside Python";
    if (python_) from.path = *python_;
    return from;
  }
  Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem&, const DeviceInfo&,
                                                std::span<const GemmArgs>, Stream) override {
    return Status::unsupported(fmt::format("{} runs inside Python only", peer_.id));
  }

 private:
  const PythonPeer& peer_;
  Result<std::string> python_;
};

}  // namespace

std::span<const PythonPeer> python_peers() {
  return kPythonPeers;
}

bool is_python_peer(std::string_view id) {
  return std::any_of(kPythonPeers.begin(), kPythonPeers.end(),
                     [&](const PythonPeer& peer) { return peer.id == id; });
}

Result<std::string> find_python(const std::vector<std::string_view>& modules) {
  const char* named = std::getenv("TILEWRIGHT_PYTHON");
  std::vector<std::string> candidates = {"python3", "python"};
  if (named != nullptr && *named != '\0') candidates = {named};
  std::vector<std::string> tried;
  for (const std::string& candidate : candidates) {
    const std::string python = executable_named(candidate);
    if (python.empty()) continue;
    if (has_modules(python, modules)) return python;
    tried.push_back(python);
  }
  const std::string wanted =
      modules.empty() ? "" : fmt::format(" with {}", fmt::join(modules, " and "));
  const std::string remedy =
      modules.empty()
          ? "install Python 3.9 or newer"
          : fmt::format("install it there (python3 -m pip install {})", fmt::join(modules, " "));
  return Status::unsupported(fmt::format(
      "no Python{} is found ({}); {} or name another Python in TILEWRIGHT_PYTHON", wanted,
      tried.empty() ? fmt::format("there is no {}", fmt::join(candidates, " and no "))
                    : fmt::format("looked at {}", fmt::join(tried, ", ")),
      remedy));
}

std::unique_ptr<Implementation> make_python_peer(const PythonPeer& peer) {
  return std::make_unique<OutsidePython>(peer);
}

}  // namespace tilewright::measure
