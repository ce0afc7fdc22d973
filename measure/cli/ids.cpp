#include "measure/cli/ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"
#include "measure/cli/python_host.h"
#include "measure/peers/implementation.h"
#include "measure/peers/plugin.h"
#include "tilewright/gemm.h"

namespace tilewright::measure::cli {
namespace {

// gemm-cuda-ladder-v4 -> gemm-ladder-v4; other words are left as they are.
std::string without_architecture(std::string_view id) {
  const std::size_t first = id.find('-');
  const std::size_t second = first == id.npos ? id.npos : id.find('-', first + 1);
  if (second == id.npos) return std::string(id);
  return std::string(id.substr(0, first)) + std::string(id.substr(second));
}

}  // namespace

void add_peer_option(CLI::App& command, std::vector<std::string>& files) {
  command
      .add_option("--peer", files,
                  "a shared object or Python file with peers, see docs/writing-a-peer.md")
      ->check(refuse_empty)
      ->type_name("FILE");
}

void load_peers(const Session& session, const std::vector<std::string>& files,
                const std::vector<std::string>& ids) {
  enter_python(session, ids, files);
  for (const std::string& file : files) {
    if (is_python_file(file)) continue;  // its peers were added by Python
    if (const Status status = add_peer_library(file); !status.ok()) {
      wrong_usage(fmt::format("--peer: {}", status.message()));
    }
  }
}

bool is_ours(std::string_view id) {
  return id.substr(0, id.find('@')) == "tilewright" || id.starts_with("gemm-");
}

std::string find_id(std::string_view option, std::string_view word,
                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return std::string(word);
  std::vector<std::string> fitting;
  for (const std::string& id : known) {
    if (is_ours(id) && without_architecture(id) == word) fitting.push_back(id);
  }
  if (fitting.size() > 1) {
    wrong_usage(fmt::format("{}: '{}' may be any of {}; give the whole id", option, word,
                            fmt::join(fitting, ", ")));
  }
  return fitting.empty() ? "" : fitting.front();
}

std::string id_in_file(std::string_view option, std::string_view word,
                       const std::vector<std::string>& ids) {
  std::string id = find_id(option, word, ids);
  if (!id.empty()) return id;
  wrong_usage(fmt::format("{}: 0 implementations of the file match '{}'{}", option, word,
                          suggestion(word, ids)));
}

std::vector<std::string> resolve_ids(std::string_view option, const std::vector<std::string>& words,
                                     const DeviceInfo& device) {
  const std::vector<std::string> known = known_ids(device.backend);
  std::vector<std::string> ids;
  for (const std::string& word : words) {
    std::string id = find_id(option, word, known);
    if (id.empty()) {
      wrong_usage(fmt::format("{}: 0 implementations match: {}", option,
                              make_implementation(word, device).status().message()));
    }
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      wrong_usage(
          fmt::format("{}: '{}' is named twice; name each implementation once", option, id));
    }
    ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace tilewright::measure::cli
