// Mistakes that a kernel for any card can make.
#include <set>

#include "hw/atomic.h"
#include "hw/barrier.h"
#include "hw/convert.h"
#include "hw/copy.h"
#include "hw/index.h"
#include "hw/ldmatrix.h"
#include "hw/shared.h"
#include "hw/warp.h"
#include "tests/sim/mistakes_harness.h"

namespace tilewright::test {
namespace {

using hw::Shared;

enum class Slip : std::uint8_t { kNone, kFirst, kSecond, kThird };

Shared<std::uint32_t> words(int offset_bytes = 0) {
  return hw::dynamic_shared<std::uint32_t>(offset_bytes);
}
template <class T>
hw::Global<const T> as(hw::Global<const std::uint32_t> given) {
  return {reinterpret_cast<const T*>(given.data)};
}

// Each thread copies 16 bytes and reads its neighbour's.
template <Slip kSlip>
void copy_and_read(SmallParams p) {
  const int thread = hw::thread_index();
  hw::cp_async_16(words() + thread * 4, p.given + thread * 4, 16);
  hw::cp_async_commit();
  if (kSlip != Slip::kFirst) hw::cp_async_wait<0>();
  if (kSlip != Slip::kSecond) hw::sync_threads();
  p.out[thread] = words()[(thread + 33) % 64 * 4];
  if (kSlip == Slip::kFirst) hw::cp_async_wait<0>();
}
TEST(Mistakes, AStageIsReadBeforeItHasArrived) {
  expect_passes(copy_and_read<Slip::kNone>, {.blocks = 1, .threads = 64, .shared_bytes = 1024});
  expect_stopped(
      copy_and_read<Slip::kFirst>, {.blocks = 1, .threads = 64, .shared_bytes = 1024},
      "block 0, thread [0-9]+, mistakes_test.cpp:[0-9]+: reads shared bytes .* a copy is "
      "under way");
  expect_stopped(copy_and_read<Slip::kSecond>, {.blocks = 1, .threads = 64, .shared_bytes = 1024},
                 "(no synchronisation orders the two|a copy is under way)");
}

// A value goes round by one barrier a step too few.
template <Slip kSlip>
void pass_round(SmallParams p) {
  const int thread = hw::thread_index();
  for (int step = 0; step < 3; ++step) {
    words()[thread] = p.given[thread + step];
    if (kSlip != Slip::kFirst) hw::sync_threads();
    p.out[thread] = words()[(thread + 40) % 64];
    if (kSlip != Slip::kSecond) hw::sync_threads();
  }
}
TEST(Mistakes, ABarrierIsMissing) {
  const hw::LaunchShape shape = {.blocks = 2, .threads = 64, .shared_bytes = 256};
  expect_passes(pass_round<Slip::kNone>, shape);
  expect_stopped(pass_round<Slip::kFirst>, shape, "no synchronisation orders the two");
  expect_stopped(pass_round<Slip::kSecond>, shape, "no synchronisation orders the two");
}

// Shuffles order nothing: within a warp too, memory wants sync_warp.
template <Slip kSlip>
void within_a_warp(SmallParams p) {
  const int lane = hw::lane_index();
  words()[lane] = p.given[lane];
  const auto all = hw::vote_all(true);
  if (kSlip == Slip::kNone) hw::sync_warp();
  p.out[lane] = words()[31 - lane] + static_cast<unsigned>(all);
}
TEST(Mistakes, AWarpIsNoBarrierByItself) {
  expect_passes(within_a_warp<Slip::kNone>, {.blocks = 1, .threads = 32, .shared_bytes = 128});
  expect_stopped(within_a_warp<Slip::kFirst>, {.blocks = 1, .threads = 32, .shared_bytes = 128},
                 "no synchronisation orders the two");
}

template <Slip kSlip>
void leave_with_copies(SmallParams p) {
  hw::cp_async_16(words() + hw::thread_index() * 4, p.given + hw::thread_index() * 4, 16);
  if (kSlip != Slip::kFirst) hw::cp_async_commit();
  if (kSlip == Slip::kNone) hw::cp_async_wait<0>();
}
TEST(Mistakes, CopiesAreLeftBehind) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 32, .shared_bytes = 512};
  expect_passes(leave_with_copies<Slip::kNone>, shape);
  expect_stopped(leave_with_copies<Slip::kFirst>, shape, "belongs to no committed group");
  expect_stopped(leave_with_copies<Slip::kSecond>, shape, "nothing has waited for");
}

template <int kByteOffset, bool kWrites>
void touch_shared(SmallParams p) {
  if constexpr (kWrites) {
    words(kByteOffset)[0] = 1u;
  } else {
    p.out[0] = words(kByteOffset)[0];
  }
}
TEST(Mistakes, SharedMemoryHasAnEnd) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 1, .shared_bytes = 128};
  expect_passes(touch_shared<124, true>, shape);
  expect_stopped(touch_shared<128, true>, shape,
                 "overwrites shared bytes 128..131, outside the 128");
  expect_stopped(touch_shared<-4, false>, shape, "reads shared bytes -4..-1, outside");
  expect_stopped(touch_shared<6, false>, shape,
                 "reads 4 bytes at shared byte 6, which is no multiple");
}

template <Slip kSlip>
void touch_global(SmallParams p) {
  if (kSlip == Slip::kNone) p.out[4095] = p.given[4095];
  if (kSlip == Slip::kFirst) p.out[0] = p.given[4096];
  if (kSlip == Slip::kSecond) p.out[-1] = 0u;
  if (kSlip == Slip::kThird) {
    hw::Global<std::uint32_t>{const_cast<std::uint32_t*>(p.given.data)}[0] = 0u;
  }
}
TEST(Mistakes, GlobalMemoryHasEndsAndOwners) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 1};
  expect_passes(touch_global<Slip::kNone>, shape);
  expect_stopped(touch_global<Slip::kFirst>, shape,
                 "reads 4 bytes at byte 16384 of the given words, which has 16384 bytes");
  expect_stopped(touch_global<Slip::kSecond>, shape, "writes 4 bytes at byte");
  expect_stopped(touch_global<Slip::kThird>, shape, "is only to be read");
}

template <Slip kSlip>
void sixteen_bytes(SmallParams p) {
  const int shift = kSlip == Slip::kFirst ? 1 : 0, to = kSlip == Slip::kSecond ? 2 : 0;
  hw::store_16(p.out + to, hw::load_16_or_zero(p.given + shift, 16));
  if (kSlip == Slip::kThird) {
    hw::cp_async_16(words(8), p.given, 16);
  }
}
TEST(Mistakes, SixteenBytesWantAlignment) {
  const hw::LaunchShape shape = {.blocks = 1, .threads = 1, .shared_bytes = 64};
  expect_passes(sixteen_bytes<Slip::kNone>, shape);
  expect_stopped(sixteen_bytes<Slip::kFirst>, shape, "reads 16 bytes .* no multiple of 16");
  expect_stopped(sixteen_bytes<Slip::kSecond>, shape, "writes 16 bytes .* no multiple of 16");
  expect_stopped(sixteen_bytes<Slip::kThird>, shape,
                 "16 bytes at shared byte 8, .* no multiple of 16");
}

template <Slip kSlip>
void converge(SmallParams p) {
  const int lane = hw::lane_index();
  unsigned got = 0;
  if (kSlip == Slip::kSecond && lane == 5) return;
  if (kSlip == Slip::kFirst && lane < 16) {
    got = hw::shuffle_xor(p.given[lane] + 0, 1);
  } else {
    got = hw::shuffle_xor(p.given[lane] + 0, 2);
  }
  p.out[lane] = got;
}
TEST(Mistakes, AWarpMeetsInOneInstruction) {
  expect_passes(converge<Slip::kNone>, {.blocks = 1, .threads = 32});
  expect_stopped(converge<Slip::kFirst>, {.blocks = 1, .threads = 32},
                 "divergent: this thread comes to shfl.sync.bfly while others of its warp are in");
  expect_stopped(
      converge<Slip::kSecond>, {.blocks = 1, .threads = 32},
      "(needs its whole warp, of which 1 lanes have ended|the thread ends while lanes of "
      "its warp meet)");
  expect_stopped(converge<Slip::kNone>, {.blocks = 1, .threads = 48}, "needs a whole warp");
}

template <Slip kSlip>
void meet(SmallParams) {
  if (kSlip != Slip::kFirst || hw::warp_index() == 0) hw::sync_threads();
  if (kSlip == Slip::kSecond) hw::barrier_sync(3, 96);
  if (kSlip == Slip::kThird) hw::barrier_sync(3, hw::warp_index() == 0 ? 32 : 64);
}
TEST(Mistakes, AHangTellsWhoWaitsForWhat) {
  expect_passes(meet<Slip::kNone>, {.blocks = 1, .threads = 64});
  expect_stopped(
      meet<Slip::kFirst>, {.blocks = 1, .threads = 64},
      "hang: nothing can go on\n  block 0, threads 0..31 wait at mistakes_test.cpp:[0-9]+ "
      "for barrier 0, to which 32 of 64 threads have come");
  expect_stopped(meet<Slip::kSecond>, {.blocks = 1, .threads = 64},
                 "threads 0..63 wait at .* barrier 3, to which 64 of 96");
  expect_stopped(meet<Slip::kThird>, {.blocks = 1, .threads = 64},
                 "(barrier 3 counts|barrier 3, to)");
}

// What nothing was stored to holds NaN in every floating type.
void read_what_nobody_wrote(SmallParams p) {
  p.out[0] = words()[3];
  const float value = hw::dynamic_shared<float>()[5];
  const hw::F16 half = hw::dynamic_shared<hw::F16>()[7];
  const hw::BF16 brain = hw::dynamic_shared<hw::BF16>()[9];
  p.out[1] = value != value;
  p.out[2] = hw::to_float(half) != hw::to_float(half);
  p.out[3] = hw::to_float(brain) != hw::to_float(brain);
}
TEST(Mistakes, FreshSharedMemoryIsPoison) {
  Memory memory;
  ASSERT_TRUE(
      run_small(read_what_nobody_wrote, {.blocks = 1, .threads = 1, .shared_bytes = 64}, {}, memory)
          .ok());
  EXPECT_EQ(memory.out[0], 0xffffffffu);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(memory.out[i], 1u);
}

// Atomics do not race with each other, but with everything else.
template <Slip kSlip>
void count(SmallParams p) {
  if (hw::thread_index() == 0) words()[0] = 0u;
  hw::sync_threads();
  hw::atomic_add(words(), 1u);
  if (kSlip == Slip::kNone) hw::sync_threads();
  if (hw::thread_index() == 3) p.out[0] = words()[0];
}
TEST(Mistakes, AnAtomicIsNoBarrier) {
  expect_passes(count<Slip::kNone>, {.blocks = 1, .threads = 64, .shared_bytes = 16});
  expect_stopped(count<Slip::kFirst>, {.blocks = 1, .threads = 64, .shared_bytes = 16},
                 "no synchronisation orders the two");
}

TEST(Mistakes, LaunchesThatACardRefuses) {
  Memory memory;
  const auto refused = [&](hw::LaunchShape shape, const char* why) {
    const Status status = run_small(pass_round<Slip::kNone>, shape, {}, memory);
    EXPECT_EQ(status.code(), StatusCode::kDeviceError);
    EXPECT_THAT(status.message(), testing::HasSubstr(why));
  };
  refused({.blocks = 1, .threads = 1025}, "blocks of 1025 threads");
  refused({.blocks = 0, .threads = 32}, "a grid of 0 blocks");
  refused({.blocks = 1, .threads = 32, .shared_bytes = 232449}, "232448 are there");
  refused({.blocks = 3, .threads = 32, .cluster = 2}, "no whole number of clusters");
}

// The same seed gives the same run on any number of OS threads; another seed another order.
TEST(Replay, TheSeedDecidesAndNothingElse) {
  const hw::LaunchShape shape = {.blocks = 8, .threads = 64, .shared_bytes = 256};
  std::set<std::string> sentences;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Memory memory;
    const auto run = [&](int threads) {
      return run_small(pass_round<Slip::kSecond>, shape, {.seed = seed, .threads = threads}, memory)
          .message();
    };
    const std::string one = run(1);
    EXPECT_EQ(one, run(1));
    EXPECT_EQ(one, run(2));
    EXPECT_EQ(one, run(3));
    sentences.insert(one.substr(one.find("block")));
  }
  EXPECT_GT(sentences.size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
