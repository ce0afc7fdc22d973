// Plain bulk copies: in, out, sums, to several blocks, to another block.
#pragma once

#include "hw/cluster.h"
#include "hw/element.h"
#include "hw/fence.h"
#include "hw/mbarrier.h"
#include "hw/tma.h"
#include "kernels/conformance/case_barrier.h"

namespace tilewright::kernels::inline TW_TARGET {

struct CaseBulkCopies {
  static constexpr CaseInfo kInfo{
      .name = "bulk",
      .functions =
          "bulk_load bulk_store bulk_commit bulk_wait bulk_wait_read mbarrier_expect_tx "
          "mbarrier_arrive_expect_tx fence_proxy_async_shared fence_proxy_async "
          "fence_proxy_async_global policy_evict_normal",
      .outputs = 512,
      .shared_bytes = 128 + 1024};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const auto barrier = make_barrier();
    const auto words = hw::dynamic_shared<std::uint32_t>(128);
    if (hw::thread_index() == 0) {
      hw::mbarrier_expect_tx(barrier, 256);
      hw::bulk_load(words, given, 256, barrier);
      hw::mbarrier_arrive_expect_tx(barrier, 512);
      hw::bulk_load(words + 64, given + 128, 512, barrier);
    }
    hw::mbarrier_wait(barrier, 0);
    words[192 + hw::thread_index()] = words[191 - hw::thread_index()] + 1;
    hw::fence_proxy_async_shared();
    hw::sync_warp();
    if (hw::thread_index() == 0) {
      hw::bulk_store(out, words, 896);
      hw::bulk_commit();
      hw::bulk_wait_read<0>();
    }
    hw::sync_warp();
    words[hw::thread_index()] = given[hw::thread_index()];
    hw::fence_proxy_async();
    hw::sync_warp();
    if (hw::thread_index() == 0) {
      hw::bulk_store(out + 256, words, 128);
      hw::bulk_commit();
      hw::bulk_wait<0>();
      hw::fence_proxy_async_global();
    }
  }
};

template <class T>
struct CaseBulkAdd {
  static constexpr const char* name() {
    if constexpr (std::is_same_v<T, float>) return "bulk.add.f32";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "bulk.add.u32";
    if constexpr (std::is_same_v<T, hw::F16>) return "bulk.add.f16";
    return "bulk.add.bf16";
  }
  static constexpr Given given_words() {
    if constexpr (std::is_same_v<T, float>) return Given::kFloats;
    if constexpr (std::is_same_v<T, hw::F16>) return Given::kUnitF16;
    if constexpr (std::is_same_v<T, hw::BF16>) return Given::kUnitBF16;
    return Given::kBits;
  }
  static constexpr CaseInfo kInfo{.name = name(),
                                  .functions = "bulk_reduce_add",
                                  .outputs = 128,
                                  .given = given_words(),
                                  .shared_bytes = 512};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const auto words = hw::dynamic_shared<std::uint32_t>();
    words_to_shared(words, given, 128);
    hw::fence_proxy_async_shared();
    hw::sync_warp();
    if (hw::thread_index() != 0) return;
    // Twice different runs onto zeros: the second adds to something.
    const hw::Global<T> target = {reinterpret_cast<T*>(out.data)};
    hw::bulk_reduce_add(target, hw::dynamic_shared<T>(), 512);
    hw::bulk_commit();
    hw::bulk_wait<0>();
    hw::bulk_reduce_add(target, hw::dynamic_shared<T>(256), 256);
    hw::bulk_commit();
    hw::bulk_wait<0>();
  }
};

struct CaseBulkCluster {
  static constexpr CaseInfo kInfo{.name = "bulk.cluster",
                                  .functions = "bulk_load_multicast bulk_copy_to_rank",
                                  .outputs = 2 * 256,
                                  .shared_bytes = 128 + 1024,
                                  .cluster = 2};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const auto barrier = make_barrier();
    const auto words = hw::dynamic_shared<std::uint32_t>(128);
    const int rank = hw::cluster_rank();
    // Each block multicasts half of the first 512 bytes and sends 256 bytes of its own to the
    // other.
    words[128 + hw::thread_index()] = given[512 + rank * 32 + hw::thread_index()];
    words[160 + hw::thread_index()] = given[640 + rank * 32 + hw::thread_index()];
    hw::fence_proxy_async_shared();
    hw::cluster_sync();
    if (hw::thread_index() == 0) {
      hw::mbarrier_arrive_expect_tx(barrier, 512 + 256);
      hw::bulk_load_multicast(words + rank * 64, given + rank * 64, 256, barrier, 3);
      hw::bulk_copy_to_rank(words + 192, rank ^ 1, words + 128, 256, barrier);
    }
    hw::mbarrier_wait(barrier, 0);
    shared_to_words(out + rank * 256, words, 256);
    hw::cluster_sync();
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
