#include "tests/cli/tool_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace tilewright::measure::test {
namespace {

std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** word = environ; *word != nullptr; ++word) {
    const std::string key = std::string(*word).substr(0, std::string(*word).find('=') + 1);
    bool replaced = false;
    for (const std::string& change : changes) replaced = replaced || change.starts_with(key);
    if (!replaced) all.emplace_back(*word);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

ToolRun run_tool_binary(const std::vector<std::string>& words,
                        const std::vector<std::string>& environment) {
  const ScratchFolder scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  std::vector<std::string> all = {TILEWRIGHT_TOOL};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = changed_environment(environment);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, TILEWRIGHT_TOOL, &actions, nullptr, pointers(all).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) throw std::runtime_error("cannot start " TILEWRIGHT_TOOL);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder: " + name);
  folder_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::vector<std::string> ScratchFolder::names() const {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    all.push_back(entry.path().filename().string());
  }
  return all;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::size_t at = 0;
  while (at < text.size()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (bool more = true; more;) {
      std::string& field = row.emplace_back();
      if (text[at] == '"') {
        for (++at;; ++at) {
          if (at >= text.size()) return {};
          if (text[at] != '"') {
            field += text[at];
          } else if (at + 1 < text.size() && text[at + 1] == '"') {
            field += text[++at];
          } else {
            ++at;
            break;
          }
        }
      } else {
        while (at < text.size() && text[at] != ',' && text[at] != '\r') {
          if (text[at] == '"' || text[at] == '\n') return {};
          field += text[at++];
        }
      }
      more = at < text.size() && text[at] == ',';
      if (more) ++at;
    }
    if (text.compare(at, 2, "\r\n") != 0) return {};
    at += 2;
  }
  return rows;
}

}  // namespace tilewright::measure::test
