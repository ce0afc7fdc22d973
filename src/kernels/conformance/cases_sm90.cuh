// stmatrix, mbarriers, clusters and the small instructions of Hopper.
#pragma once

#include "hw/cluster.h"
#include "hw/copy.h"
#include "hw/fence.h"
#include "hw/grid.h"
#include "hw/mbarrier.h"
#include "hw/registers.h"
#include "hw/stmatrix.h"
#include "hw/warp.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

struct CaseStmatrix {
  static constexpr int kWords = 256;
  static constexpr CaseInfo kInfo{.name = "stmatrix",
                                  .functions =
                                      "stmatrix_x1 stmatrix_x2 stmatrix_x4 "
                                      "stmatrix_x1_trans stmatrix_x2_trans "
                                      "stmatrix_x4_trans",
                                  .outputs = 6 * kWords,
                                  .shared_bytes = 6 * kWords * 4};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const int lane = hw::lane_index();
    const auto words = hw::dynamic_shared<std::uint32_t>();
    for (int i = lane; i < 6 * kWords; i += 32) words[i] = 0u;
    hw::sync_warp();
    std::uint32_t r[4];
    for (int i = 0; i < 4; ++i) r[i] = given[lane * 4 + i];
    const std::uint32_t r1[1] = {r[0]}, r2[2] = {r[1], r[2]};
    const auto row = [&](int part) {
      return hw::dynamic_shared<hw::F16>() + part * kWords * 2 + (lane * 3 % 32) * 16;
    };
    hw::stmatrix_x1(row(0), r1);
    hw::stmatrix_x2(row(1), r2);
    hw::stmatrix_x4(row(2), r);
    hw::stmatrix_x1_trans(row(3), r1);
    hw::stmatrix_x2_trans(row(4), r2);
    hw::stmatrix_x4_trans(row(5), r);
    hw::sync_warp();
    shared_to_words(out, words, 6 * kWords);
  }
};

// Which lane is elected is the hardware's affair; that it is one, and the same one again, is not.
struct CaseSmallHopper {
  static constexpr CaseInfo kInfo{.name = "elect, setmaxnreg, griddepcontrol",
                                  .functions =
                                      "elect_one registers_increase registers_decrease "
                                      "grid_dependency_wait grid_dependency_launch",
                                  .threads = 128,
                                  .outputs = 128};
  static TW_DEVICE void run(GivenWords, Words out) {
    hw::grid_dependency_launch();
    hw::grid_dependency_wait();
    hw::registers_decrease<32>();
    hw::registers_increase<40>();
    const bool first = hw::elect_one(), again = hw::elect_one();
    unsigned leaders = 0;
    for (unsigned b = hw::vote_ballot(first); b != 0; b &= b - 1) ++leaders;
    out[hw::thread_index()] = leaders + (first == again ? 100u : 0u);
  }
};

// Words go round between two warps, a phase a word; each phase is waited for in another way.
struct CaseMbarrier {
  static constexpr int kRounds = 6;
  static constexpr CaseInfo kInfo{
      .name = "mbarrier",
      .functions =
          "mbarrier_init mbarrier_invalidate mbarrier_arrive mbarrier_wait "
          "mbarrier_try_wait mbarrier_test_wait cp_async_mbarrier_arrive",
      .threads = 64,
      .outputs = kRounds * 32 + 64,
      .shared_bytes = 512 + 1024};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const hw::Mbarrier full = hw::dynamic_shared<std::uint64_t>(), empty = full + 1,
                       copied = full + 2;
    const auto words = hw::dynamic_shared<std::uint32_t>(256);
    const int lane = hw::lane_index();
    if (hw::thread_index() == 0) {
      hw::mbarrier_init(full, 32);
      hw::mbarrier_init(empty, 32);
      hw::mbarrier_init(copied, 64);
    }
    hw::sync_threads();
    for (int round = 0; round < kRounds; ++round) {
      const auto parity = static_cast<unsigned>(round) & 1;
      if (hw::warp_index() == 0) {
        hw::mbarrier_wait(empty, parity ^ 1);  // passes at once in the first round
        words[lane] = given[round * 32 + lane];
        hw::mbarrier_arrive(full);
      } else {
        if (round % 3 == 0) hw::mbarrier_wait(full, parity);
        while (round % 3 == 1 && !hw::mbarrier_try_wait(full, parity)) {
        }
        while (round % 3 == 2 && !hw::mbarrier_test_wait(full, parity)) {
        }
        out[round * 32 + lane] = words[31 - lane];
        hw::mbarrier_arrive(empty);
      }
    }
    hw::sync_threads();
    const auto target = hw::dynamic_shared<hw::F16>(512);
    hw::cp_async_16(target + hw::thread_index() * 8,
                    hw::Global<const hw::F16>{
                        reinterpret_cast<const hw::F16*>((given + hw::thread_index() * 4).data)},
                    hw::thread_index() % 5 * 4);
    hw::cp_async_mbarrier_arrive(copied);
    hw::mbarrier_wait(copied, 0);
    const auto copies = hw::dynamic_shared<std::uint32_t>(512);
    out[kRounds * 32 + hw::thread_index()] = copies[255 - hw::thread_index() * 4];
    hw::sync_threads();
    if (hw::thread_index() == 0) hw::mbarrier_invalidate(copied);
  }
};

// Two blocks write into each other's shared memory and arrive at each other's barrier.
struct CaseCluster {
  static constexpr CaseInfo kInfo{
      .name = "cluster",
      .functions =
          "cluster_rank cluster_blocks cluster_index cluster_arrive cluster_arrive_relaxed "
          "cluster_wait cluster_sync map_to_rank load store mbarrier_arrive_remote "
          "fence_mbarrier_init",
      .threads = 32,
      .outputs = 4 * 32 * 4,
      .shared_bytes = 512,
      .cluster = 2,
      .clusters = 2};
  static TW_DEVICE void run(GivenWords given, Words out) {
    const hw::Mbarrier told = hw::dynamic_shared<std::uint64_t>();
    const auto words = hw::dynamic_shared<std::uint32_t>(128);
    const int lane = hw::lane_index(), rank = hw::cluster_rank();
    const auto block = static_cast<int>(hw::block_index());
    if (lane == 0) {
      hw::mbarrier_init(told, 32);
      hw::fence_mbarrier_init();
    }
    words[lane] = given[block * 32 + lane];
    hw::cluster_sync();
    const auto peers = hw::map_to_rank(words, rank ^ 1);
    out[block * 128 + lane] = hw::load(peers + (31 - lane));
    const std::uint32_t word = given[256 + block * 32 + lane];
    hw::store(peers + (32 + lane), word);
    hw::mbarrier_arrive_remote(told, rank ^ 1);
    hw::mbarrier_wait(told, 0);
    out[block * 128 + 32 + lane] = words[32 + (lane ^ 1)];
    out[block * 128 + 64 + lane] = hw::cluster_index() * 100 + static_cast<unsigned>(rank) * 10 +
                                   static_cast<unsigned>(hw::cluster_blocks());
    hw::cluster_arrive_relaxed();
    hw::cluster_wait();
    hw::cluster_arrive();
    hw::cluster_wait();
  }
};

}  // namespace tilewright::kernels::inline TW_TARGET
