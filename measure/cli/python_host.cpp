#include "measure/cli/python_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "measure/cli/failure.h"
#include "measure/peers/python.h"

namespace tilewright::measure::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> modules_of(const std::vector<std::string>& ids) {
  std::vector<std::string_view> modules;
  for (const PythonPeer& peer : python_peers()) {
    const bool asked = std::find(ids.begin(), ids.end(), peer.id) != ids.end();
    const bool known = std::find(modules.begin(), modules.end(), peer.module) != modules.end();
    if (asked && !known) modules.push_back(peer.module);
  }
  return modules;
}

// The folder with the packages and the engine, which lies beside the tool.
std::string package_folder() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = tool.parent_path() / "python";
  if (fs::exists(folder / "tilewright_peers" / "__main__.py", error)) return folder.string();
  throw Failure{
      Exit::kFailure,
      fmt::format("what is done in Python needs the folder '{}', which is not there; build all of "
                  "Tilewright, or copy it from beside the tool that was built",
                  folder.string())};
}

void add_to_python_path(const std::string& folder) {
  const char* old = std::getenv("PYTHONPATH");
  const std::string path =
      old == nullptr || *old == '\0' ? folder : fmt::format("{}:{}", folder, old);
  setenv("PYTHONPATH", path.c_str(), 1);
}

}  // namespace

bool is_python_file(std::string_view path) {
  return path.ends_with(".py");
}

void enter_python(const Session& session, const std::vector<std::string>& ids,
                  const std::vector<std::string>& files) {
  if (session.in_python) return;
  const std::vector<std::string_view> modules = modules_of(ids);
  std::vector<std::string> scripts;
  for (const std::string& file : files) {
    if (is_python_file(file)) scripts.push_back(fs::absolute(file).string());
  }
  if (modules.empty() && scripts.empty()) return;
  Result<std::string> python = find_python(modules);
  if (!python && !scripts.empty()) python = find_python({});
  if (!python) {
    if (scripts.empty()) return;
    wrong_usage(fmt::format("--peer: {}", python.status().message()));
  }
  std::vector<std::string> words = {"tilewright_peers"};
  for (const std::string_view module : modules) words.push_back(fmt::format("--import={}", module));
  for (const std::string& script : scripts) words.push_back("--file=" + script);
  words.push_back("--");
  words.insert(words.end(), session.command.begin(), session.command.end());
  go_on_in_python(*python, std::move(words));
}

void go_on_in_python(const std::string& python, std::vector<std::string> words) {
  add_to_python_path(package_folder());
  words.insert(words.begin(), {python, "-m"});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(python.c_str(), pointers.data());
  throw Failure{Exit::kFailure, fmt::format("{} does not start: {}", python, std::strerror(errno))};
}

}  // namespace tilewright::measure::cli
