// A seed is the whole run: what a kernel writes, and not only what it fails with, comes again on
// any number of OS threads; another seed draws another order.
#include <set>

#include "hw/atomic.h"
#include "hw/barrier.h"
#include "hw/copy.h"
#include "hw/index.h"
#include "hw/mbarrier.h"
#include "hw/shared.h"
#include "hw/tma.h"
#include "hw/warp.h"
#include "tests/sim/mistakes_harness.h"

namespace tilewright::test {
namespace {

using Words = std::vector<std::uint32_t>;

struct Ran {
  std::string sentence;
  Words out;
  bool operator==(const Ran&) const = default;
};

Ran run(void (*kernel)(SmallParams), const hw::LaunchShape& shape, const SimInfo& sim) {
  Memory memory;
  const Status status = run_small(kernel, shape, sim, memory);
  return {status.message(), Words(std::begin(memory.out), std::end(memory.out))};
}

// Every thread draws a number, so what is written is the order in which they came.
void draw_numbers(SmallParams p) {
  const auto counter = hw::dynamic_shared<unsigned>();
  if (hw::thread_index() == 0) counter[0] = 0u;
  hw::sync_threads();
  const unsigned number = hw::atomic_add(counter, 1u);
  p.out[hw::block_index() * 64 + number] = static_cast<std::uint32_t>(hw::thread_index());
}
constexpr hw::LaunchShape kNumbers = {.blocks = 8, .threads = 64, .shared_bytes = 16};

// How often thread 0 looks before a copy has landed is decided by the order alone.
void count_looks(SmallParams p) {
  const auto arrived = hw::dynamic_shared<std::uint64_t>();
  if (hw::thread_index() == 0) hw::mbarrier_init(arrived, 1);
  hw::sync_threads();
  hw::cp_async_16(hw::dynamic_shared<std::uint32_t>(16) + hw::thread_index() * 4, p.given, 16);
  if (hw::thread_index() == 5) hw::cp_async_mbarrier_arrive(arrived);
  std::uint32_t looks = 0;
  while (hw::thread_index() == 0 && !hw::mbarrier_test_wait(arrived, 0)) ++looks;
  if (hw::thread_index() == 0) p.out[hw::block_index()] = looks;
  hw::cp_async_commit();
  hw::cp_async_wait<0>();
}
constexpr hw::LaunchShape kLooks = {.blocks = 8, .threads = 32, .shared_bytes = 16 + 512};

void race(SmallParams p) {
  const auto words = hw::dynamic_shared<std::uint32_t>();
  words[hw::thread_index()] = p.given[hw::thread_index()];
  p.out[hw::thread_index()] = words[(hw::thread_index() + 37) % 64];
}
constexpr hw::LaunchShape kRace = {.blocks = 8, .threads = 64, .shared_bytes = 256};

struct Told {
  const char* name;
  void (*kernel)(SmallParams);
  hw::LaunchShape shape;
};
const Told kAll[] = {
    {"numbers", draw_numbers, kNumbers}, {"looks", count_looks, kLooks}, {"race", race, kRace}};

TEST(ReplayOfRuns, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  for (const Told& each : kAll) {
    for (const SimCopies copies : kAllCopies) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SimInfo sim = {.seed = seed, .copies = copies, .threads = 1};
        const Ran one = run(each.kernel, each.shape, sim);
        EXPECT_EQ(one.sentence.empty(), each.kernel != race) << one.sentence;
        EXPECT_EQ(run(each.kernel, each.shape, sim).sentence, one.sentence);
        sim.threads = 2;
        const Ran two = run(each.kernel, each.shape, sim);
        EXPECT_EQ(two.sentence, one.sentence) << each.name;
        // After a failure other clusters may have gone further, and their output with them.
        if (one.sentence.empty()) {
          EXPECT_EQ(two.out, one.out) << each.name << " seed " << seed;
        }
      }
    }
  }
}

TEST(ReplayOfRuns, AnotherSeedDrawsAnotherOrder) {
  for (const Told& each : kAll) {
    std::set<std::string> sentences;
    std::set<Words> outputs;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Ran got = run(each.kernel, each.shape, {.seed = seed});
      const std::size_t start = got.sentence.find("block");
      sentences.insert(start == std::string::npos ? "" : got.sentence.substr(start));
      outputs.insert(got.out);
    }
    if (each.kernel == race) {
      EXPECT_GT(sentences.size(), 1u);
    } else {
      EXPECT_GT(outputs.size(), 1u) << each.name;
    }
  }
}

// Blocks of one grid do not all run in one order.
TEST(ReplayOfRuns, EveryBlockDrawsItsOwnOrder) {
  const Ran got = run(draw_numbers, kNumbers, {.seed = 3});
  ASSERT_EQ(got.sentence, "");
  std::set<Words> orders;
  for (std::ptrdiff_t block = 0; block < 8; ++block) {
    orders.insert(Words(got.out.begin() + block * 64, got.out.begin() + (block + 1) * 64));
  }
  EXPECT_EQ(orders.size(), 8u);
}

// A run that was stopped in the middle leaves nothing to the next one on the same OS thread.
TEST(ReplayOfRuns, AFailureLeavesNothingBehind) {
  const SimInfo sim = {.seed = 7, .copies = SimCopies::kLate, .threads = 1};
  const Ran before = run(count_looks, kLooks, sim);
  EXPECT_NE(run(race, kRace, sim).sentence, "");
  EXPECT_EQ(run(count_looks, kLooks, sim), before);
}

}  // namespace
}  // namespace tilewright::test
