// Every id that can be compared, and how an id becomes an implementation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include <utility>

#include "measure/peers/implementation.h"
#include "measure/peers/plugin.h"
#include "measure/peers/python.h"
#include "measure/record/near_names.h"

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

void add_added(Backend backend, std::vector<std::string>& ids) {
  for (const AddedPeer& peer : added_peers()) {
    if (peer.backend() == backend && !is_python_peer(peer.table->id)) {
      ids.emplace_back(peer.table->id);
    }
  }
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
  const std::vector<std::string> near = near_names(id, known_ids(backend));
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
    const bool simulated = backend == Backend::kSim && kernel.backend == Backend::kCuda;
    if (kernel.backend == backend || simulated) ids.emplace_back(kernel.name);
  }
  for (const Peer& peer : kPeers) {
    if (peer.backend == backend) ids.emplace_back(peer.id);
  }
  for (const PythonPeer& peer : python_peers()) {
    if (peer.backend == backend) ids.emplace_back(peer.id);
  }
  add_added(backend, ids);
  return ids;
}

std::vector<std::string> default_ids(Backend backend) {
  std::vector<std::string> ids{"tilewright"};
  for (const Peer& peer : kPeers) {
    if (peer.backend == backend) ids.emplace_back(peer.id);
  }
  add_added(backend, ids);
  return ids;
}

Result<std::unique_ptr<Implementation>> make_implementation(std::string_view id,
                                                            const DeviceInfo& device) {
  if (!known_on(device.backend, id)) return no_such_id(id, device.backend);
  for (const Peer& peer : kPeers) {
    if (peer.id == id) return peer.make();
  }
  for (const AddedPeer& peer : added_peers()) {
    if (peer.table->id == id && peer.backend() == device.backend) return make_plugin_peer(peer);
  }
  for (const PythonPeer& peer : python_peers()) {
    if (peer.id == id && peer.backend == device.backend) return make_python_peer(peer);
  }
  return make_tilewright(id == "tilewright" ? std::string() : std::string(id));
}

}  // namespace tilewright::measure
