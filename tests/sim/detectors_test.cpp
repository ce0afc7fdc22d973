// Mistakes whose sentence is the same whatever the order of threads and copies: kernel, block,
// thread, line and cause are held to the letter.
#include <fmt/format.h>

#include <fstream>

#include "hw/barrier.h"
#include "hw/cluster.h"
#include "hw/copy.h"
#include "hw/fence.h"
#include "hw/index.h"
#include "hw/ldmatrix.h"
#include "hw/mbarrier.h"
#include "hw/shared.h"
#include "hw/tma.h"
#include "hw/warp.h"
#include "hw/wgmma.h"
#include "tests/sim/mistakes_harness.h"

namespace tilewright::test {
namespace {

// "detectors_test.cpp:123" of the one line that ends with "// @name".
std::string place(const std::string& name) {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/tests/sim/detectors_test.cpp");
  const std::string mark = "// @" + name;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with(mark)) return fmt::format("detectors_test.cpp:{}", number);
  }
  return "no line is marked " + name;
}

struct Params {
  SmallParams small;
  hw::TensorMap map;  // 4 rows of 64 words of `given`
};
using Kernel = void (*)(Params);

std::string run_form(Kernel kernel, const hw::LaunchShape& shape, const SimInfo& sim) {
  Memory memory;
  const hw::TensorMapSpec spec = {.type = hw::TensorType::kU32,
                                  .rank = 2,
                                  .base = memory.given,
                                  .extents = {64, 4},
                                  .strides_bytes = {256},
                                  .box = {64, 4}};
  const Params params = {{{memory.given}, {memory.out}}, *hw::encode_tensor_map(spec)};
  return simulate(kernel, params, shape, sim, memory.ranges()).message();
}

// The right form passes, the wrong one is stopped with this and nothing else, under every copy
// timing and several seeds. What follows the schedule may be a regular expression.
void expect_told(Kernel right, Kernel wrong, const hw::LaunchShape& shape,
                 const std::string& sentence) {
  for (const SimCopies copies : kAllCopies) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const SimInfo sim = {.seed = seed, .copies = copies};
      EXPECT_EQ(run_form(right, shape, sim), "");
      EXPECT_THAT(run_form(wrong, shape, sim),
                  testing::MatchesRegex(fmt::format("simulated small, seed {}, copies {}: {}", seed,
                                                    name_of(copies), sentence)));
    }
  }
}

hw::Shared<std::uint32_t> words(int offset_bytes) {
  return hw::dynamic_shared<std::uint32_t>(offset_bytes);
}
hw::Mbarrier bell() {
  return hw::dynamic_shared<std::uint64_t>(0);
}
void make_bell(int arrivals) {
  if (hw::thread_index() == 0) {
    hw::mbarrier_init(bell(), arrivals);  // @bell
    hw::fence_mbarrier_init();
  }
  hw::sync_threads();
}
void ask_for_tile(const Params& p) {
  if (hw::thread_index() == 0) {
    hw::mbarrier_arrive_expect_tx(bell(), 1024);
    hw::tma_load(words(1024), p.map, bell(), hw::TensorAt{0, 0});  // @tile
  }
}
constexpr hw::LaunchShape kTile = {.blocks = 1, .threads = 128, .shared_bytes = 2048};

template <bool kRight>
void read_tile(Params p) {
  make_bell(1);
  ask_for_tile(p);
  hw::sync_threads();
  if (kRight) hw::mbarrier_wait(bell(), 0);
  p.small.out[hw::thread_index()] = words(1024)[hw::thread_index()];  // @read_tile
}
TEST(Detectors, ATensorTileIsReadWithoutAWait) {
  expect_told(read_tile<true>, read_tile<false>, kTile,
              "block 0, thread [0-9]+, " + place("read_tile") +
                  ": reads shared bytes [0-9]+..[0-9]+, (into which a copy is under way since " +
                  place("tile") + ": nothing has waited for it|which were written at " +
                  place("tile") + ", and no synchronisation orders the two)");
}

// The vote brings every read before every write, and yet orders no memory.
template <bool kRight>
void overwrite_after_reading(Params p) {
  const int lane = hw::lane_index();
  p.small.out[lane] = words(0)[lane];  // @read_first
  if (hw::vote_all(true) && kRight) hw::sync_warp();
  words(0)[31 - lane] = 1u;  // @overwrite
}
TEST(Detectors, WordsAreOverwrittenThatOthersRead) {
  expect_told(overwrite_after_reading<true>, overwrite_after_reading<false>,
              {.blocks = 1, .threads = 32, .shared_bytes = 128},
              "block 0, thread [0-9]+, " + place("overwrite") +
                  ": overwrites shared bytes [0-9]+..[0-9]+, which were read at " +
                  place("read_first") + ", and no synchronisation orders the two");
}

// One thread waits; nothing tells the other.
template <bool kRight>
void one_waits(Params p) {
  make_bell(1);
  ask_for_tile(p);
  hw::sync_threads();
  if (hw::thread_index() == 0) hw::mbarrier_wait(bell(), 0);
  if (kRight) hw::sync_threads();
  if (hw::thread_index() == 40) p.small.out[0] = words(1024)[0];  // @one_waits
}
TEST(Detectors, AWaitIsForTheThreadThatWaits) {
  expect_told(one_waits<true>, one_waits<false>, kTile,
              "block 0, thread 40, " + place("one_waits") +
                  ": reads shared bytes 1024..1027, (into which a copy is under way since|which "
                  "were written at) " +
                  place("tile") + ".*");
}

template <bool kRight>
void refill_while_multiplying(Params p) {
  make_bell(1);
  for (int i = hw::thread_index(); i < 256; i += 128) words(1024)[i] = 0u;
  hw::fence_proxy_async_shared();
  hw::sync_threads();
  float d[4] = {};
  const std::uint32_t a[4] = {};
  const auto b = hw::wgmma_descriptor(words(1024), 0, 1024, hw::WgmmaSwizzle::k128);
  hw::wgmma_fence();
  hw::wgmma<hw::F16, 8>(d, a, b, true);  // @multiply
  hw::wgmma_commit();
  if (kRight) hw::wgmma_wait<0>();
  hw::sync_threads();
  ask_for_tile(p);
  if (!kRight) hw::wgmma_wait<0>();
  hw::mbarrier_wait(bell(), 0);
  p.small.out[hw::thread_index()] = d[0] == 0;
}
TEST(Detectors, AStageIsRefilledWhileAProductReadsIt) {
  expect_told(refill_while_multiplying<true>, refill_while_multiplying<false>, kTile,
              "block 0, thread 0, " + place("tile") +
                  ": overwrites shared bytes 1024..2047, which an asynchronous operation issued "
                  "at " +
                  place("multiply") + " is still reading");
}

// Registers of A change, and accumulators are read, before the wait.
template <bool kRight>
void change_a(Params p) {
  for (int i = hw::thread_index(); i < 256; i += 128) words(1024)[i] = 0u;
  hw::fence_proxy_async_shared();
  hw::sync_threads();
  float d[4] = {};
  std::uint32_t a[4] = {};
  const auto b = hw::wgmma_descriptor(words(1024), 0, 1024, hw::WgmmaSwizzle::k128);
  hw::wgmma_fence();
  hw::wgmma<hw::F16, 8>(d, a, b, true);  // @change_a
  hw::wgmma_commit();
  p.small.out[hw::thread_index()] = d[1] != d[1];
  if (!kRight && hw::thread_index() == 77) a[2] = 1;
  hw::wgmma_wait<0>();
  if (kRight) a[2] = 1;
  p.small.out[128 + hw::thread_index()] = d[1] == 0 ? a[2] : 0u;
}
TEST(Detectors, RegistersOfAChangeUnderAProduct) {
  expect_told(change_a<true>, change_a<false>, kTile,
              "block 0, thread (6[4-9]|[78][0-9]|9[0-5]), " + place("change_a") +
                  ": a register of operand A was written while the wgmma that reads it was under "
                  "way");
}
TEST(Detectors, AccumulatorsAreNaNUntilTheWait) {
  for (const SimCopies copies : kAllCopies) {
    Memory memory;
    const Params params = {{{memory.given}, {memory.out}}, {}};
    ASSERT_TRUE(simulate(change_a<true>, params, kTile, {.copies = copies}, memory.ranges()).ok());
    for (int i = 0; i < 256; ++i) EXPECT_EQ(memory.out[i], 1u) << i;
  }
}

template <bool kRight>
void wait_twice(Params) {
  make_bell(1);
  if (hw::thread_index() != 0) return;
  hw::mbarrier_arrive(bell());
  hw::mbarrier_wait(bell(), 0);
  if (kRight) hw::mbarrier_arrive(bell());
  hw::mbarrier_wait(bell(), kRight ? 1 : 0);  // @stale
}
TEST(Detectors, AWaitPassesOnAStalePhase) {
  expect_told(wait_twice<true>, wait_twice<false>, kTile,
              "block 0, thread 0, " + place("stale") +
                  ": the wait passes on a stale phase: this thread has waited for phase 0 of the "
                  "mbarrier at shared byte 0 of block 0 .*");
}

// Bytes that never balance, arrivals that never come: who waits for what.
template <int kBytes>
void expect_bytes(Params p) {
  make_bell(1);
  if (hw::thread_index() == 0) {
    hw::mbarrier_arrive_expect_tx(bell(), kBytes);
    hw::bulk_load(words(1024), p.small.given, 256, bell());
  }
  if (hw::warp_index() == 1) hw::mbarrier_wait(bell(), 0);  // @bytes
}
TEST(Detectors, ExpectTxIsWrong) {
  const auto waits = [](int bytes) {
    return "hang: nothing can go on\n  block 0, threads 32..63 wait at " + place("bytes") +
           " for parity 0 of the mbarrier at shared byte 0 of block 0 \\(made at " + place("bell") +
           fmt::format("; phase 0, 0 of 1 arrivals missing, {} bytes expected\\)", bytes);
  };
  expect_told(expect_bytes<256>, expect_bytes<240>, kTile, waits(-16));
  expect_told(expect_bytes<256>, expect_bytes<272>, kTile, waits(16));
}

template <int kArrivals>
void arrive_and_wait(Params) {
  make_bell(3);
  if (hw::thread_index() % 32 == 0 && hw::warp_index() < kArrivals) hw::mbarrier_arrive(bell());
  if (hw::thread_index() == 127) hw::mbarrier_wait(bell(), 0);  // @arrivals
  if (hw::warp_index() == 2) hw::barrier_sync(5, 64);           // @named
  if (hw::thread_index() >= 96) hw::barrier_sync(5, 64);        // @named_too
}
TEST(Detectors, AnArrivalIsMissing) {
  expect_told(arrive_and_wait<3>, arrive_and_wait<2>, kTile,
              "hang: nothing can go on\n  block 0, threads 127 wait at " + place("arrivals") +
                  " for parity 0 of the mbarrier at shared byte 0 of block 0 \\(made at " +
                  place("bell") +
                  "; phase 0, 1 of 3 arrivals missing, 0 bytes expected\\)\n  block 0, threads "
                  "64..95 wait at " +
                  place("named") +
                  " for barrier 5, to which 63 of 64 threads have come\n  block 0, threads "
                  "96..126 wait at " +
                  place("named_too") + " for barrier 5, to which 63 of 64 threads have come");
}

template <bool kRight>
void arrive_again(Params p) {
  make_bell(1);
  if (hw::thread_index() != 0) return;
  hw::mbarrier_arrive_expect_tx(bell(), 256);
  if (!kRight) hw::mbarrier_arrive(bell());  // @again
  hw::bulk_load(words(1024), p.small.given, 256, bell());
  hw::mbarrier_wait(bell(), 0);
}
TEST(Detectors, AnArrivalIsOneTooMany) {
  expect_told(arrive_again<true>, arrive_again<false>, kTile,
              "block 0, thread 0, " + place("again") + ": one arrival too many at the mbarrier .*");
}

template <bool kRight>
void half_a_warp(Params p) {
  const int lane = hw::lane_index();
  unsigned got = 0;
  if (!kRight && lane < 16) hw::barrier_sync(1, 32);           // @half
  if (kRight || lane >= 16) got = hw::vote_ballot(lane != 3);  // @ballot
  p.small.out[lane] = got;
}
TEST(Detectors, HalfAWarpMeetsElsewhere) {
  expect_told(half_a_warp<true>, half_a_warp<false>, {.blocks = 1, .threads = 32},
              "hang: nothing can go on\n  block 0, threads 0..15 wait at " + place("half") +
                  " for barrier 1, to which 16 of 32 threads have come\n  block 0, threads 16..31 "
                  "wait in vote.sync.ballot at " +
                  place("ballot") + " for the rest of its warp, of which 16 of 32 lanes are there");
}

template <bool kRight>
void arrive_twice(Params) {
  if (hw::warp_index() == 0) hw::barrier_arrive(2, 64);
  if (!kRight && hw::warp_index() == 0) hw::barrier_arrive(2, 64);  // @twice
  if (kRight && hw::warp_index() == 1) hw::barrier_sync(2, 64);
}
TEST(Detectors, AThreadComesTwiceInOneRound) {
  expect_told(arrive_twice<true>, arrive_twice<false>, {.blocks = 1, .threads = 64},
              "block 0, thread [0-9]+, " + place("twice") +
                  ": the thread comes to barrier 2 twice in one round");
}

template <bool kRight>
void load_matrix(Params p) {
  if (hw::thread_index() < 32) words(0)[hw::thread_index()] = 1u;  // @stored
  if (kRight) hw::sync_threads();
  if (hw::warp_index() != 0) return;
  std::uint32_t r[1] = {};
  hw::ldmatrix_x1(r, words(0) + hw::lane_index() % 8 * 4);  // @matrix
  p.small.out[hw::lane_index()] = r[0];
}
TEST(Detectors, AMatrixIsLoadedThatOthersStore) {
  const std::string race = "and no synchronisation orders the two";
  expect_told(load_matrix<true>, load_matrix<false>,
              {.blocks = 1, .threads = 64, .shared_bytes = 128},
              "block 0, thread [0-9]+, (" + place("matrix") + ": reads|" + place("stored") +
                  ": overwrites) shared bytes [0-9]+..[0-9]+, which were (written|read) at (" +
                  place("stored") + "|" + place("matrix") + "), " + race);
}

template <bool kRight>
void read_the_other_block(Params p) {
  words(0)[hw::thread_index()] = p.small.given[hw::thread_index()];  // @own
  if (kRight) hw::cluster_sync();
  const auto other = hw::map_to_rank(words(0), hw::cluster_rank() ^ 1);
  p.small.out[hw::thread_index()] = load(other + hw::thread_index());  // @other
  hw::cluster_sync();
}
TEST(Detectors, AnotherBlocksMemoryIsReadTooEarly) {
  expect_told(read_the_other_block<true>, read_the_other_block<false>,
              {.blocks = 2, .threads = 32, .shared_bytes = 128, .cluster = 2},
              "block [01], thread [0-9]+, (" + place("other") + ": reads|" + place("own") +
                  ": overwrites) shared bytes .*, and no synchronisation orders the two");
}

// Copies of the engine: where they may go to and come from.
enum class Copy : std::uint8_t { kRight, kPastTheEnd, kOddTarget, kOddSize, kOddTile };
template <Copy kCopy>
void fetch(Params p) {
  make_bell(1);
  if (hw::thread_index() != 0) return;
  const int from = kCopy == Copy::kPastTheEnd ? 4096 - 60 : 4096 - 64;
  const int bytes = kCopy == Copy::kOddSize ? 248 : 256;
  const int to = kCopy == Copy::kOddTarget ? 1032 : 1024;
  hw::mbarrier_arrive_expect_tx(bell(), 1024 + 256);
  hw::bulk_load(words(to - 512), p.small.given + from, bytes, bell());  // @bulk
  const int tile = kCopy == Copy::kOddTile ? 1040 - 128 : 1024;
  hw::tma_load(words(tile), p.map, bell(), hw::TensorAt{0, 0});  // @odd_tile
  hw::mbarrier_wait(bell(), 0);
}
TEST(Detectors, CopiesStayInsideAndAligned) {
  const std::string bulk = "block 0, thread 0, " + place("bulk") + ": ";
  expect_told(fetch<Copy::kRight>, fetch<Copy::kPastTheEnd>, kTile,
              bulk + "reads 256 bytes at byte 16144 of the given words, which has 16384 bytes");
  const std::string odd = "; size and both addresses must be multiples of 16";
  expect_told(fetch<Copy::kRight>, fetch<Copy::kOddTarget>, kTile,
              bulk + "a bulk copy of 256 bytes with shared byte 520" + odd);
  expect_told(fetch<Copy::kRight>, fetch<Copy::kOddSize>, kTile,
              bulk + "a bulk copy of 248 bytes with shared byte 512" + odd);
  expect_told(fetch<Copy::kRight>, fetch<Copy::kOddTile>, kTile,
              "block 0, thread 0, " + place("odd_tile") +
                  ": a tensor copy lands at shared byte 912; a multiple of 128 is accepted");
}

template <bool kRight>
void put_back(Params p) {
  words(0)[hw::thread_index()] = 1u;
  hw::fence_proxy_async_shared();
  hw::sync_threads();
  if (hw::thread_index() != 0) return;
  auto* const to = kRight ? p.small.out.data : const_cast<std::uint32_t*>(p.small.given.data);
  hw::bulk_store(hw::Global<std::uint32_t>{to}, words(0), 128);  // @put_back
  hw::bulk_commit();
  hw::bulk_wait<0>();
}
TEST(Detectors, CopiesDoNotWriteWhatIsOnlyRead) {
  expect_told(put_back<true>, put_back<false>, {.blocks = 1, .threads = 32, .shared_bytes = 128},
              "block 0, thread 0, " + place("put_back") +
                  ": writes 128 bytes at byte 0 of the given words, which has 16384 bytes and is "
                  "only to be read");
}

// The bytes are expected and come, but nobody looks before the block is over.
template <bool kRight>
void leave_a_copy(Params p) {
  make_bell(1);
  if (hw::thread_index() != 0) return;
  hw::mbarrier_arrive_expect_tx(bell(), 256);
  hw::bulk_load(words(1024), p.small.given, 256, bell());  // @left
  if (kRight) hw::mbarrier_wait(bell(), 0);
}
TEST(Detectors, ACopyIsLeftBehind) {
  expect_told(leave_a_copy<true>, leave_a_copy<false>, kTile,
              "block 0, " + place("left") +
                  ": (a copy lands in this block after it has ended|the block ends with a copy "
                  "that nothing has waited for)");
}

}  // namespace
}  // namespace tilewright::test
