// Indices, barriers, what lanes tell each other, atomics and conversions.
#pragma once

#include "hw/atomic.h"
#include "hw/convert.h"
#include "hw/element.h"
#include "hw/warp.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

struct CaseIndex {
  static constexpr CaseInfo kInfo{
      .name = "index",
      .functions = "thread_index thread_count lane_index warp_index block_index block_count",
      .threads = 96,
      .outputs = 3 * 96 * 4,
      .clusters = 3};
  static TW_DEVICE void run(GivenWords, Words out) {
    const auto block = static_cast<int>(hw::block_index());
    const int at = (block * hw::thread_count() + hw::thread_index()) * 4;
    out[at] = static_cast<std::uint32_t>(hw::thread_index() + 1000 * hw::thread_count());
    out[at + 1] = static_cast<std::uint32_t>(hw::lane_index());
    out[at + 2] = static_cast<std::uint32_t>(hw::warp_index());
    out[at + 3] = hw::block_index() + 1000 * hw::block_count();
  }
};

// A value passed on from thread to thread: by all, by a warp, by two warps of three.
struct CaseBarriers {
  static constexpr CaseInfo kInfo{.name = "barrier",
                                  .functions = "sync_threads sync_warp barrier_sync barrier_arrive",
                                  .threads = 96,
                                  .outputs = 4 * 96,
                                  .shared_bytes = 96 * 4};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const auto shared = hw::dynamic_shared<std::uint32_t>();
    const int thread = hw::thread_index(), warp = hw::warp_index();
    shared[thread] = given[thread];
    hw::sync_threads();
    out[thread] = shared[95 - thread];
    hw::sync_threads();
    shared[thread] = given[thread + 96];
    hw::sync_warp();
    out[96 + thread] = shared[thread ^ 5];
    hw::sync_threads();
    shared[thread] = given[thread + 192];
    // Warps 0 and 1 meet; warp 2 tells warp 0 that its words are there and goes on.
    if (warp < 2) hw::barrier_sync(1, 64);
    out[192 + thread] = warp < 2 ? shared[63 - thread] : 0u;
    if (warp == 2) hw::barrier_arrive(2, 64);
    if (warp == 0) hw::barrier_sync(2, 64);
    out[288 + thread] = warp == 0 ? shared[95 - thread] : 0u;
  }
};

struct CaseShuffles {
  static constexpr CaseInfo kInfo{.name = "shuffle",
                                  .functions = "shuffle_xor shuffle_index shuffle_up shuffle_down",
                                  .outputs = 7 * 32};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    const std::uint32_t word = given[lane];
    out[lane] = hw::shuffle_xor(word, 1);
    out[32 + lane] = hw::shuffle_xor(word, 18);
    out[64 + lane] = hw::shuffle_index(word, static_cast<int>(given[lane + 32] % 32));
    out[96 + lane] = hw::shuffle_up(word, 3);
    out[128 + lane] = hw::shuffle_down(word, 5);
    out[160 + lane] = bits_of(hw::shuffle_xor(as_float(word & 0x7effffff), 7));
    out[192 + lane] = static_cast<std::uint32_t>(hw::shuffle_down(static_cast<int>(word), 31));
  }
};

struct CaseVotes {
  static constexpr CaseInfo kInfo{
      .name = "vote",
      .functions =
          "vote_ballot vote_any vote_all reduce_add reduce_min reduce_max reduce_and "
          "reduce_or reduce_xor",
      .outputs = 11 * 32};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    const std::uint32_t word = given[lane];
    out[lane] = hw::vote_ballot((word & 1) != 0);
    out[32 + lane] = hw::vote_any(lane == 31);
    out[64 + lane] = hw::vote_any(lane > 31);
    out[96 + lane] = hw::vote_all(lane < 32);
    out[128 + lane] = hw::vote_all(lane != 7);
    out[160 + lane] = hw::reduce_add(word);
    out[192 + lane] = hw::reduce_min(word);
    out[224 + lane] = hw::reduce_max(word);
    out[256 + lane] = hw::reduce_and(word | 0xff00u);
    out[288 + lane] = hw::reduce_or(word & 0xff);
    out[320 + lane] = hw::reduce_xor(word);
  }
};

// Sums and maxima do not depend on the order; exchanges are made by one thread.
struct CaseAtomics {
  static constexpr CaseInfo kInfo{
      .name = "atomic",
      .functions =
          "atomic_add atomic_exchange atomic_max atomic_compare_exchange load_acquire "
          "store_release thread_fence thread_fence_block",
      .threads = 64,
      .outputs = 20,
      .shared_bytes = 16};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const auto shared = hw::dynamic_shared<std::uint32_t>();
    const int thread = hw::thread_index();
    if (thread < 4) shared[thread] = 0;
    hw::sync_threads();
    const hw::Shared<float> sum = {hw::dynamic_shared<float>(12)};
    const std::uint32_t word = given[thread];
    hw::atomic_add(out, word);
    hw::atomic_max(out + 1, word);
    hw::atomic_add(hw::Global<float>{reinterpret_cast<float*>((out + 2).data)},
                   static_cast<float>(thread));
    hw::atomic_add(shared, word);
    hw::atomic_max(shared + 1, word);
    hw::atomic_add(sum, static_cast<float>(thread));
    hw::thread_fence_block();
    hw::sync_threads();
    if (thread != 0) return;
    for (int i = 0; i < 4; ++i) out[4 + i] = shared[i];
    out[8] = hw::atomic_exchange(out + 9, given[70]);
    out[10] = hw::atomic_compare_exchange(out + 9, given[70], given[71]);
    out[11] = hw::atomic_compare_exchange(out + 9, given[70], given[72]);
    out[12] = hw::atomic_exchange(shared + 2, given[73]);
    out[13] = hw::atomic_compare_exchange(shared + 2, given[73], given[74]);
    out[14] = hw::atomic_compare_exchange(shared + 2, given[73], given[75]);
    out[15] = shared[2];
    hw::store_release(out + 16, given[76]);
    hw::thread_fence();
    out[17] = hw::load_acquire(GivenWords{(out + 16).data});
  }
};

// All 65,536 halves upwards, fp32 numbers downwards. A NaN's payload is the hardware's own affair.
template <class T>
struct CaseConvert {
  static constexpr CaseInfo kInfo{
      .name = std::is_same_v<T, hw::F16> ? "convert.f16" : "convert.bf16",
      .functions = "to_float from_float pack_pair",
      .threads = 256,
      .outputs = 65536 + 8192};
  static TW_DEVICE std::uint32_t without_payload(float value) {
    return value != value ? 0x7fc00000u : bits_of(value);
  }
  static TW_DEVICE void run(GivenWords given, Words out) {
    for (int i = hw::thread_index(); i < 65536; i += 256) {
      out[i] = without_payload(hw::to_float(T{static_cast<std::uint16_t>(i)}));
    }
    for (int i = hw::thread_index(); i < 4096; i += 256) {
      const float low = as_float(given[2 * i] % 0x7f800000u), high = -as_float(given[i] >> 2);
      out[65536 + i] = hw::from_float<T>(low).bits;
      out[65536 + 4096 + i] = hw::pack_pair<T>(low, high == high ? high : 0.0f);
    }
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
