// Bulk copies and tensor copies, simulated. Loads land some time and tell their mbarrier; stores
// read shared memory some time and write global memory later.
#pragma once

#include <cstdint>
#include <type_traits>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/global.h"
#include "hw/mbarrier.h"
#include "hw/shared.h"
#include "hw/tensor_at.h"
#include "hw/tensor_map.h"

namespace tilewright::hw::sim {

void tensor_load(std::uint32_t target, const TensorMapSpec& spec, Mbarrier barrier, const int* at,
                 int rank, std::uint32_t ranks, Site site);
void tensor_store(const TensorMapSpec& spec, const int* at, int rank, std::uint32_t source,
                  bool adds, Site site);
void bulk_load(std::uint32_t target, const void* source, int bytes, Mbarrier barrier,
               std::uint32_t ranks, Site site);
void bulk_store(void* target, std::uint32_t source, int bytes, BulkOperation operation, Site site);
void bulk_copy_to_rank(std::uint32_t target, int rank, std::uint32_t source, int bytes,
                       Mbarrier barrier, Site site);
std::uint32_t own_rank();

template <class T>
constexpr BulkOperation add_of() {
  if constexpr (std::is_same_v<T, float>) return BulkOperation::kAddF32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return BulkOperation::kAddU32;
  if constexpr (std::is_same_v<T, F16>) return BulkOperation::kAddF16;
  return BulkOperation::kAddBF16;
}

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T, int kRank>
TW_DEVICE void tma_load(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                        TensorAt<kRank> at, sim::Site site = sim::Site::current()) {
  sim::tensor_load(target.offset, map.spec, barrier, at.at, kRank, 1u << sim::own_rank(), site);
}
// Hints to the cache change nothing here.
template <class T, int kRank>
TW_DEVICE void tma_load(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                        TensorAt<kRank> at, CachePolicy, sim::Site site = sim::Site::current()) {
  tma_load(target, map, barrier, at, site);
}
template <class T, int kRank>
TW_DEVICE void tma_load_multicast(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                                  TensorAt<kRank> at, std::uint16_t ranks,
                                  sim::Site site = sim::Site::current()) {
  sim::tensor_load(target.offset, map.spec, barrier, at.at, kRank, ranks, site);
}
template <class T, int kRank>
TW_DEVICE void tma_load_multicast(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                                  TensorAt<kRank> at, std::uint16_t ranks, CachePolicy,
                                  sim::Site site = sim::Site::current()) {
  tma_load_multicast(target, map, barrier, at, ranks, site);
}

template <class T, int kRank>
TW_DEVICE void tma_store(const TensorMap& map, TensorAt<kRank> at, Shared<T> source,
                         sim::Site site = sim::Site::current()) {
  sim::tensor_store(map.spec, at.at, kRank, source.offset, false, site);
}
template <class T, int kRank>
TW_DEVICE void tma_store(const TensorMap& map, TensorAt<kRank> at, Shared<T> source, CachePolicy,
                         sim::Site site = sim::Site::current()) {
  tma_store(map, at, source, site);
}
template <class T, int kRank>
TW_DEVICE void tma_reduce_add(const TensorMap& map, TensorAt<kRank> at, Shared<T> source,
                              sim::Site site = sim::Site::current()) {
  sim::tensor_store(map.spec, at.at, kRank, source.offset, true, site);
}
template <int kRank>
TW_DEVICE void tma_prefetch(const TensorMap&, TensorAt<kRank>) {}
TW_DEVICE void prefetch_tensor_map(const TensorMap&) {}

template <class T>
TW_DEVICE void bulk_load(Shared<T> target, Global<const T> source, int bytes, Mbarrier barrier,
                         sim::Site site = sim::Site::current()) {
  sim::bulk_load(target.offset, source.data, bytes, barrier, 1u << sim::own_rank(), site);
}
template <class T>
TW_DEVICE void bulk_load_multicast(Shared<T> target, Global<const T> source, int bytes,
                                   Mbarrier barrier, std::uint16_t ranks,
                                   sim::Site site = sim::Site::current()) {
  sim::bulk_load(target.offset, source.data, bytes, barrier, ranks, site);
}
template <class T>
TW_DEVICE void bulk_store(Global<T> target, Shared<T> source, int bytes,
                          sim::Site site = sim::Site::current()) {
  sim::bulk_store(target.data, source.offset, bytes, sim::BulkOperation::kStore, site);
}
template <class T>
TW_DEVICE void bulk_reduce_add(Global<T> target, Shared<T> source, int bytes,
                               sim::Site site = sim::Site::current()) {
  sim::bulk_store(target.data, source.offset, bytes, sim::add_of<T>(), site);
}
template <class T>
TW_DEVICE void bulk_copy_to_rank(Shared<T> target, int rank, Shared<T> source, int bytes,
                                 Mbarrier barrier, sim::Site site = sim::Site::current()) {
  sim::bulk_copy_to_rank(target.offset, rank, source.offset, bytes, barrier, site);
}

TW_DEVICE void bulk_commit(sim::Site site = sim::Site::current()) {
  sim::commit_bulk_stores(site);
}
template <int kPending>
TW_DEVICE void bulk_wait(sim::Site site = sim::Site::current()) {
  sim::wait_bulk_stores(kPending, false, site);
}
template <int kPending>
TW_DEVICE void bulk_wait_read(sim::Site site = sim::Site::current()) {
  sim::wait_bulk_stores(kPending, true, site);
}

TW_DEVICE CachePolicy policy_evict_first() {
  return {};
}
TW_DEVICE CachePolicy policy_evict_last() {
  return {};
}
TW_DEVICE CachePolicy policy_evict_normal() {
  return {};
}

}  // namespace tilewright::hw::inline TW_TARGET
