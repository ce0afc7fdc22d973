// Peers from outside: shared objects that speak the C ABI of tilewright/peer.h, and tables that a
// host program hands over. Once added they are implementations like any other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/peers/implementation.h"
#include "tilewright/peer.h"

namespace tilewright::measure {

struct AddedPeer {
  const tw_peer* table = nullptr;  // lives as long as the process
  std::string where;               // the shared object, or what handed it over
  Backend backend() const {
    return table->backend == TW_PEER_CUDA ? Backend::kCuda : Backend::kCpu;
  }
};

// All peers of a shared object, or none and why not: it does not load, speaks another ABI version,
// has a malformed table, or an id that is taken.
Status add_peer_library(const std::string& path);
Status add_peers(const tw_peer* tables, std::uint32_t count, const std::string& where);
// The same for the process that hosts the engine, which alone may bring the ids of python_peers().
Status add_host_peers(const tw_peer* tables, std::uint32_t count, const std::string& where);

// In the order in which they were added.
const std::vector<AddedPeer>& added_peers();

std::unique_ptr<Implementation> make_plugin_peer(const AddedPeer& peer);

}  // namespace tilewright::measure
