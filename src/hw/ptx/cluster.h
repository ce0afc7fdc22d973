// Clusters: blocks that run at the same time and reach each other's shared memory. sm_90.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE int cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return static_cast<int>(rank);
}
TW_DEVICE int cluster_blocks() {
  unsigned blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;\n" : "=r"(blocks));
  return static_cast<int>(blocks);
}
TW_DEVICE unsigned cluster_index() {
  unsigned index;
  asm volatile("mov.u32 %0, %%clusterid.x;\n" : "=r"(index));
  return index;
}

// barrier.cluster: all threads of all blocks. Arrival releases what the thread wrote, unless it is
// relaxed; the wait acquires.
TW_DEVICE void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n" ::: "memory");
}
TW_DEVICE void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" ::: "memory");
}
TW_DEVICE void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;\n" ::: "memory");
}
TW_DEVICE void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// Shared memory of another block, by a 32-bit address in the cluster's window.
template <class T>
struct ClusterShared {
  std::uint32_t address;
  TW_DEVICE ClusterShared operator+(int elements) const {
    return {address + static_cast<std::uint32_t>(elements * static_cast<int>(sizeof(T)))};
  }
};

// mapa: the same place in block `rank`.
template <class T>
TW_DEVICE ClusterShared<T> map_to_rank(Shared<T> own, int rank) {
  std::uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;\n"
               : "=r"(address)
               : "r"(own.address()), "r"(rank));
  return {address};
}
// ld.shared::cluster and st.shared::cluster of 4 bytes.
template <class T>
TW_DEVICE T load(ClusterShared<T> source) {
  static_assert(sizeof(T) == 4);
  std::uint32_t bits;
  asm volatile("ld.shared::cluster.b32 %0, [%1];\n" : "=r"(bits) : "r"(source.address) : "memory");
  return *reinterpret_cast<const T*>(&bits);
}
template <class T>
TW_DEVICE void store(ClusterShared<T> target, T value) {
  static_assert(sizeof(T) == 4);
  const std::uint32_t bits = *reinterpret_cast<const std::uint32_t*>(&value);
  asm volatile("st.shared::cluster.b32 [%0], %1;\n" ::"r"(target.address), "r"(bits) : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
