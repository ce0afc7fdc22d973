// Clusters and distributed shared memory, simulated.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/shared.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE int cluster_rank() {
  return sim::Machine::now().self().block->rank;
}
TW_DEVICE int cluster_blocks() {
  return sim::Machine::now().grid().cluster;
}
TW_DEVICE unsigned cluster_index() {
  return sim::Machine::now().cluster_index();
}

TW_DEVICE void cluster_arrive(sim::Site at = sim::Site::current()) {
  sim::cluster_arrive(true, at);
}
TW_DEVICE void cluster_arrive_relaxed(sim::Site at = sim::Site::current()) {
  sim::cluster_arrive(false, at);
}
TW_DEVICE void cluster_wait(sim::Site at = sim::Site::current()) {
  sim::cluster_wait(at);
}
TW_DEVICE void cluster_sync(sim::Site at = sim::Site::current()) {
  if (sim::is_dropped(at)) return;
  sim::cluster_arrive(true, at);
  sim::cluster_wait(at);
}

template <class T>
struct ClusterShared {
  int rank;
  std::uint32_t offset;
  ClusterShared operator+(int elements) const {
    return {rank, (Shared<T>{offset} + elements).offset};
  }
};

template <class T>
TW_DEVICE ClusterShared<T> map_to_rank(Shared<T> own, int rank) {
  return {rank, own.offset};
}
template <class T>
TW_DEVICE T load(ClusterShared<T> source, sim::Site at = sim::Site::current()) {
  static_assert(sizeof(T) == 4);
  sim::block_of_rank(source.rank, at);
  return sim::SharedElement<T>(source.rank, source.offset, at);
}
template <class T>
TW_DEVICE void store(ClusterShared<T> target, T value, sim::Site at = sim::Site::current()) {
  static_assert(sizeof(T) == 4);
  sim::block_of_rank(target.rank, at);
  sim::SharedElement<T>(target.rank, target.offset, at) = value;
}

}  // namespace tilewright::hw::inline TW_TARGET
