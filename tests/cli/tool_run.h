// Runs the built tool and keeps all it left behind.
#pragma once

#include <string>
#include <vector>

namespace tilewright::measure::test {

struct ToolRun {
  int exit_code = -1;
  std::string out, err;
};

// `environment` holds KEY=VALUE words that replace those of this process.
ToolRun run_tool_binary(const std::vector<std::string>& words,
                        const std::vector<std::string>& environment = {});

// An empty folder of its own, removed with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;  // gives the path
  std::vector<std::string> names() const;

 private:
  std::string folder_;
};

std::string read_text(const std::string& path);

// RFC 4180, strictly: rows of fields; an empty result where the text is none.
std::vector<std::vector<std::string>> parse_csv(const std::string& text);

}  // namespace tilewright::measure::test
