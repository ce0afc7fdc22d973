// Every id that can be compared, and how an id becomes an implementation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "measure/peers/implementation.h"

namespace tilewright::measure {
namespace {

struct Peer {
  std::string_view id;
  Backend backend;
  std::unique_ptr<Implementation> (*make)();
};

constexpr Peer kPeers[] = {
    {"cublaslt-first", Backend::kCuda, [] { return make_cublaslt(false); }},
    {"cublaslt-best16", Backend::kCuda, [] { return make_cublaslt(true); }},
    {"openblas", Backend::kCpu, make_openblas},
    {"onednn", Backend::kCpu, make_onednn},
};

// Letters to insert, delete or exchange to get from one word to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t exchanged = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, exchanged});
    }
  }
  return row.back();
}

// The ids that `id` may have been meant to be, nearest first; empty when none is near.
std::vector<std::string> near_ids(std::string_view id, const std::vector<std::string>& ids) {
  constexpr std::size_t kMost = 3;
  const std::size_t farthest = std::max<std::size_t>(2, id.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& known : ids) {
    const bool contained = !id.empty() && known.find(id) != std::string::npos;
    const std::size_t distance = edit_distance(id, known);
    if (contained || distance <= farthest) near.emplace_back(contained ? 0 : distance, known);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> names;
  for (const auto& [distance, known] : near) {
    if (names.size() < kMost) names.push_back(known);
  }
  return names;
}

bool known_on(Backend backend, std::string_view id) {
  const std::vector<std::string> ids = known_ids(backend);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Status no_such_id(std::string_view id, Backend backend) {
  for (const Backend other : {Backend::kCpu, Backend::kCuda, Backend::kSim}) {
    if (known_on(other, id)) {
      return Status::invalid(fmt::format("{} runs on {}, not on {}; for {} there are {}", id,
                                         name_of(other), name_of(backend), name_of(backend),
                                         fmt::join(known_ids(backend), ", ")));
    }
  }
  const std::vector<std::string> near = near_ids(id, known_ids(backend));
  if (!near.empty()) {
    return Status::invalid(fmt::format("there is no implementation '{}' for {}; near it: {}", id,
                                       name_of(backend), fmt::join(near, ", ")));
  }
  return Status::invalid(fmt::format("there is no implementation '{}' for {}; there are {}", id,
                                     name_of(backend), fmt::join(known_ids(backend), ", ")));
}

}  // namespace

std::vector<std::string> known_ids(Backend backend) {
  std::vector<std::string> ids{"tilewright"};
  for (const KernelInfo& kernel : list_gemm()) {
    if (kernel.backend == backend) ids.emplace_back(kernel.name);
  }
  for (const Peer& peer : kPeers) {
    if (peer.backend == backend) ids.emplace_back(peer.id);
  }
  return ids;
}

std::vector<std::string> default_ids(Backend backend) {
  std::vector<std::string> ids{"tilewright"};
  for (const Peer& peer : kPeers) {
    if (peer.backend == backend) ids.emplace_back(peer.id);
  }
  return ids;
}

Result<std::unique_ptr<Implementation>> make_implementation(std::string_view id,
                                                            const DeviceInfo& device) {
  if (!known_on(device.backend, id)) return no_such_id(id, device.backend);
  for (const Peer& peer : kPeers) {
    if (peer.id == id) return peer.make();
  }
  return make_tilewright(id == "tilewright" ? std::string() : std::string(id));
}

}  // namespace tilewright::measure
