// Bulk copies by the copy engine: boxes of tensors (TMA) and plain runs of bytes. One thread issues
// them. They belong to the asynchronous proxy: see fence.h.
//
// Loads tell an mbarrier the bytes that have landed, whatever lies outside the tensor included.
// Stores belong to the thread's bulk groups. Tensor copies want shared memory aligned to 128 bytes
// (to eight swizzled rows where the tile is swizzled); plain ones sizes and both addresses in
// multiples of 16.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/ptx/global.h"
#include "hw/ptx/mbarrier.h"
#include "hw/ptx/shared.h"
#include "hw/ptx/tensor_map.h"
#include "hw/tensor_at.h"

#include "hw/ptx/tma_forms.h"  // generated: TensorForm<kRank>

namespace tilewright::hw::inline TW_TARGET {

// One box at coordinates `at`, into this block.
template <class T, int kRank>
TW_DEVICE void tma_load(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                        TensorAt<kRank> at) {
  TensorForm<kRank>::load(target.address(), &map, barrier.address(), at.at);
}
template <class T, int kRank>
TW_DEVICE void tma_load(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                        TensorAt<kRank> at, CachePolicy policy) {
  TensorForm<kRank>::load_hint(target.address(), &map, barrier.address(), policy.bits, at.at);
}
// The same box into every block of the cluster whose bit in `ranks` is set, at the same place, and
// to the mbarrier in the same place.
template <class T, int kRank>
TW_DEVICE void tma_load_multicast(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                                  TensorAt<kRank> at, std::uint16_t ranks) {
  TensorForm<kRank>::multicast(target.address(), &map, barrier.address(), ranks, at.at);
}
template <class T, int kRank>
TW_DEVICE void tma_load_multicast(Shared<T> target, const TensorMap& map, Mbarrier barrier,
                                  TensorAt<kRank> at, std::uint16_t ranks, CachePolicy policy) {
  TensorForm<kRank>::multicast_hint(target.address(), &map, barrier.address(), ranks, policy.bits,
                                    at.at);
}

// A box from shared memory; what lies outside the tensor is dropped.
template <class T, int kRank>
TW_DEVICE void tma_store(const TensorMap& map, TensorAt<kRank> at, Shared<T> source) {
  TensorForm<kRank>::store(source.address(), &map, at.at);
}
template <class T, int kRank>
TW_DEVICE void tma_store(const TensorMap& map, TensorAt<kRank> at, Shared<T> source,
                         CachePolicy policy) {
  TensorForm<kRank>::store_hint(source.address(), &map, policy.bits, at.at);
}
// Adds it to what is there, element by element.
template <class T, int kRank>
TW_DEVICE void tma_reduce_add(const TensorMap& map, TensorAt<kRank> at, Shared<T> source) {
  TensorForm<kRank>::add(source.address(), &map, at.at);
}
// Brings a box to L2, or the map itself to the engine.
template <int kRank>
TW_DEVICE void tma_prefetch(const TensorMap& map, TensorAt<kRank> at) {
  TensorForm<kRank>::prefetch(&map, at.at);
}
TW_DEVICE void prefetch_tensor_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

template <class T>
TW_DEVICE void bulk_load(Shared<T> target, Global<const T> source, int bytes, Mbarrier barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::
          "r"(target.address()),
      "l"(source.data), "r"(bytes), "r"(barrier.address())
      : "memory");
}
template <class T>
TW_DEVICE void bulk_load_multicast(Shared<T> target, Global<const T> source, int bytes,
                                   Mbarrier barrier, std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;\n" ::"r"(target.address()),
      "l"(source.data), "r"(bytes), "r"(barrier.address()), "h"(ranks)
      : "memory");
}
template <class T>
TW_DEVICE void bulk_store(Global<T> target, Shared<T> source, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(target.data),
               "r"(source.address()), "r"(bytes)
               : "memory");
}
// Adds to global memory: float, std::uint32_t, F16, BF16. The halves round to nearest even and keep
// denormals.
TW_DEVICE void bulk_reduce_add(Global<float> target, Shared<float> source, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;\n" ::"l"(
                   target.data),
               "r"(source.address()), "r"(bytes)
               : "memory");
}
TW_DEVICE void bulk_reduce_add(Global<std::uint32_t> target, Shared<std::uint32_t> source,
                               int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;\n" ::"l"(
                   target.data),
               "r"(source.address()), "r"(bytes)
               : "memory");
}
TW_DEVICE void bulk_reduce_add(Global<F16> target, Shared<F16> source, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;\n" ::"l"(
          target.data),
      "r"(source.address()), "r"(bytes)
      : "memory");
}
TW_DEVICE void bulk_reduce_add(Global<BF16> target, Shared<BF16> source, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], %2;\n" ::"l"(
          target.data),
      "r"(source.address()), "r"(bytes)
      : "memory");
}
// To block `rank` of the cluster: target and mbarrier are given by their places in this block.
template <class T>
TW_DEVICE void bulk_copy_to_rank(Shared<T> target, int rank, Shared<T> source, int bytes,
                                 Mbarrier barrier) {
  asm volatile(
      "{\n .reg .b32 there, tells;\n mapa.shared::cluster.u32 there, %0, %1;\n"
      " mapa.shared::cluster.u32 tells, %4, %1;\n"
      " cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [%2], %3, "
      "[tells];\n}\n" ::"r"(target.address()),
      "r"(rank), "r"(source.address()), "r"(bytes), "r"(barrier.address())
      : "memory");
}

// Closes the group of the stores issued since the last one.
TW_DEVICE void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;\n" ::: "memory");
}
// Waits until at most kPending groups have not written their target, or not read their source.
template <int kPending>
TW_DEVICE void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;\n" ::"n"(kPending) : "memory");
}
template <int kPending>
TW_DEVICE void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(kPending) : "memory");
}

TW_DEVICE CachePolicy policy_evict_first() {
  CachePolicy policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\n" : "=l"(policy.bits));
  return policy;
}
TW_DEVICE CachePolicy policy_evict_last() {
  CachePolicy policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\n" : "=l"(policy.bits));
  return policy;
}
TW_DEVICE CachePolicy policy_evict_normal() {
  CachePolicy policy;
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;\n" : "=l"(policy.bits));
  return policy;
}

}  // namespace tilewright::hw::inline TW_TARGET
