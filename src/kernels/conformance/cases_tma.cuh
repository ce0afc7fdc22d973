// Tensor copies: every rank, swizzle, fill and element stride; stores and sums; multicast.
#pragma once

#include "hw/tma.h"
#include "kernels/conformance/case_barrier.h"

namespace tilewright::kernels::inline TW_TARGET {

// A box of a small tensor that lies in the given words (or in the output), at coordinates partly
// outside it. Extents and strides are chosen so that all of it fits.
struct TensorCase {
  const char* name;
  hw::TensorMapSpec spec;  // without base
  int at[5];
};

using hw::TensorSwizzle;
using hw::TensorType;

inline constexpr TensorCase kTensorCases[] = {
    {"1d", {TensorType::kU32, 1, nullptr, {100}, {}, {64}}, {60}},
    {"2d.none", {TensorType::kF16, 2, nullptr, {60, 20}, {128}, {16, 12}}, {-8, 11}},
    {"2d.32",
     {TensorType::kF16, 2, nullptr, {60, 40}, {128}, {16, 32}, {1, 1, 1, 1, 1}, TensorSwizzle::k32},
     {48, -5}},
    {"2d.64",
     {TensorType::kBF16,
      2,
      nullptr,
      {60, 40},
      {128},
      {32, 32},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k64},
     {24, 2}},
    {"2d.128",
     {TensorType::kF16,
      2,
      nullptr,
      {64, 40},
      {128},
      {64, 32},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k128},
     {0, 9}},
    {"2d.128.outside",
     {TensorType::kF16,
      2,
      nullptr,
      {50, 40},
      {112},
      {64, 16},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k128},
     {-8, 30}},
    {"2d.narrow",
     {TensorType::kU8, 2, nullptr, {48, 30}, {48}, {48, 8}, {1, 1, 1, 1, 1}, TensorSwizzle::k64},
     {0, 3}},
    {"2d.f32",
     {TensorType::kF32, 2, nullptr, {30, 20}, {128}, {32, 8}, {1, 1, 1, 1, 1}, TensorSwizzle::k128},
     {4, 5}},
    {"2d.nan",
     {TensorType::kF16,
      2,
      nullptr,
      {30, 12},
      {64},
      {32, 8},
      {1, 1, 1, 1, 1},
      TensorSwizzle::kNone,
      true},
     {8, 8}},
    {"2d.nan.f32",
     {TensorType::kF32,
      2,
      nullptr,
      {30, 12},
      {128},
      {16, 8},
      {1, 1, 1, 1, 1},
      TensorSwizzle::kNone,
      true},
     {20, 8}},
    {"2d.nan.bf16",
     {TensorType::kBF16,
      2,
      nullptr,
      {30, 12},
      {64},
      {32, 8},
      {1, 1, 1, 1, 1},
      TensorSwizzle::kNone,
      true},
     {-8, -2}},
    {"2d.steps",
     {TensorType::kU16,
      2,
      nullptr,
      {60, 40},
      {128},
      {16, 24},
      {1, 3, 1, 1, 1},
      TensorSwizzle::kNone},
     {8, 2}},
    {"3d",
     {TensorType::kU16,
      3,
      nullptr,
      {20, 9, 5},
      {48, 480},
      {16, 4, 3},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k32},
     {8, 6, 3}},
    {"3d.batch",
     {TensorType::kF16,
      3,
      nullptr,
      {64, 16, 3},
      {128, 2048},
      {64, 8, 1},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k128},
     {0, 8, 2}},
    {"4d",
     {TensorType::kU32,
      4,
      nullptr,
      {10, 5, 4, 3},
      {48, 240, 960},
      {8, 3, 2, 2},
      {1, 1, 1, 1, 1},
      TensorSwizzle::k32},
     {-4, 1, 3, 0}},
    {"5d",
     {TensorType::kU16,
      5,
      nullptr,
      {16, 4, 3, 3, 2},
      {32, 128, 384, 1152},
      {8, 2, 2, 2, 2},
      {1, 1, 1, 1, 1},
      TensorSwizzle::kNone},
     {8, 3, -1, 2, 1}},
    {"5d.steps",
     {TensorType::kF32,
      5,
      nullptr,
      {16, 6, 6, 3, 2},
      {64, 384, 2304, 6912},
      {8, 4, 6, 2, 2},
      {1, 2, 3, 1, 1},
      TensorSwizzle::k32},
     {4, 1, 0, 1, 0}},
};

inline constexpr int kTensorWords = 4096;  // 16 KiB, what a store may reach in the output

// A store takes no coordinate below 0.
template <int kCase, bool kStores>
constexpr auto tensor_at() {
  constexpr TensorCase kTensor = kTensorCases[kCase];
  hw::TensorAt<kTensor.spec.rank> result = {};
  for (int i = 0; i < kTensor.spec.rank; ++i) {
    result.at[i] = kStores && kTensor.at[i] < 0 ? 0 : kTensor.at[i];
  }
  return result;
}

// What lands, and that nothing beside it is touched.
template <int kCase>
struct CaseTmaLoad {
  static constexpr TensorCase kTensor = kTensorCases[kCase];
  static constexpr int kWords = hw::box_shared_bytes(kTensor.spec) / 4;
  static constexpr CaseInfo kInfo{.name = kTensor.name,
                                  .functions =
                                      "tma_load tma_prefetch prefetch_tensor_map "
                                      "policy_evict_first policy_evict_last",
                                  .outputs = 2 * (kWords + 32),
                                  .shared_bytes = 1024 + 2 * 1024 + 8 * kWords + 256};
  static std::string id() { return std::string("tma.load.") + kTensor.name; }
  static constexpr bool kLoads = true;
  static TW_DEVICE void run(GivenWords given, Words out, const hw::TensorMap& map) {
    constexpr auto at = tensor_at<kCase, false>();
    const auto barrier = make_barrier();
    constexpr int kSecond = 1024 + (4 * kWords + 128 + 1023) / 1024 * 1024;
    const auto first = hw::dynamic_shared<std::uint32_t>(1024);
    const auto second = hw::dynamic_shared<std::uint32_t>(kSecond);
    words_to_shared(first, given, kWords + 32);
    words_to_shared(second, given, kWords + 32);
    hw::fence_proxy_async_shared();
    hw::sync_threads();
    if (hw::thread_index() == 0) {
      hw::prefetch_tensor_map(map);
      hw::tma_prefetch(map, at);
      hw::mbarrier_arrive_expect_tx(barrier, 2 * hw::box_bytes(kTensor.spec));
      hw::tma_load(first, map, barrier, at);
      hw::tma_load(second, map, barrier, at,
                   kCase % 2 ? hw::policy_evict_first() : hw::policy_evict_last());
    }
    hw::mbarrier_wait(barrier, 0);
    shared_to_words(out, first, kWords + 32);
    shared_to_words(out + (kWords + 32), second, kWords + 32);
  }
};

enum class Stores : std::uint8_t { kStore, kStoreHint, kAdd };

template <int kCase, Stores kHow>
struct CaseTmaStore {
  static constexpr TensorCase kTensor = kTensorCases[kCase];
  static constexpr int kWords = hw::box_shared_bytes(kTensor.spec) / 4;
  static constexpr Given given_words() {
    if (kHow != Stores::kAdd) return Given::kBits;
    switch (kTensor.spec.type) {
      case TensorType::kF16:
        return Given::kUnitF16;
      case TensorType::kBF16:
        return Given::kUnitBF16;
      case TensorType::kF32:
        return Given::kFloats;
      default:
        return Given::kBits;
    }
  }
  static constexpr CaseInfo kInfo{
      .name = kTensor.name,
      .functions = kHow == Stores::kAdd ? "tma_reduce_add" : "tma_store",
      .outputs = kTensorWords,
      .given = given_words(),
      .shared_bytes = 1024 + 4 * kWords};
  static std::string id() {
    return std::string(kHow == Stores::kAdd ? "tma.add." : "tma.store.") + kTensor.name;
  }
  static constexpr bool kLoads = false;
  static TW_DEVICE void run(GivenWords given, Words, const hw::TensorMap& map) {
    constexpr auto at = tensor_at<kCase, true>();
    const auto words = hw::dynamic_shared<std::uint32_t>(1024);
    words_to_shared(words, given, kWords);
    hw::fence_proxy_async_shared();
    hw::sync_threads();
    if (hw::thread_index() != 0) return;
    for (int i = 0; i < (kHow == Stores::kAdd ? 2 : 1); ++i) {
      if constexpr (kHow == Stores::kStore) hw::tma_store(map, at, words);
      if constexpr (kHow == Stores::kStoreHint)
        hw::tma_store(map, at, words, hw::policy_evict_first());
      if constexpr (kHow == Stores::kAdd) hw::tma_reduce_add(map, at, words);
      hw::bulk_commit();
      hw::bulk_wait<0>();
    }
  }
};

// Each block of a pair fetches one half of a tile for both.
template <bool kHint>
struct CaseTmaMulticast {
  static constexpr TensorCase kTensor = kTensorCases[4];
  static constexpr int kWords = hw::box_shared_bytes(kTensor.spec) / 4;
  static constexpr CaseInfo kInfo{.name = kHint ? "tma.multicast.hint" : "tma.multicast",
                                  .functions = "tma_load_multicast",
                                  .outputs = 4 * kWords,
                                  .shared_bytes = 1024 + 8 * kWords,
                                  .cluster = 2};
  static constexpr bool kLoads = true;
  static TW_DEVICE void run(GivenWords, Words out, const hw::TensorMap& map) {
    const auto barrier = make_barrier();
    const auto words = hw::dynamic_shared<std::uint32_t>(1024);
    const int rank = hw::cluster_rank();
    if (hw::thread_index() == 0) {
      const hw::TensorAt at{0, rank * 17};
      hw::mbarrier_arrive_expect_tx(barrier, 8 * kWords);
      if constexpr (kHint) {
        hw::tma_load_multicast(words + rank * kWords, map, barrier, at, 3, hw::policy_evict_last());
      } else {
        hw::tma_load_multicast(words + rank * kWords, map, barrier, at, 3);
      }
    }
    hw::mbarrier_wait(barrier, 0);
    shared_to_words(out + rank * 2 * kWords, words, 2 * kWords);
    hw::cluster_sync();
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
