#include "measure/protocol/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "measure/protocol/fill_value.h"
#include "measure/stats/summary.h"
#include "tests/measure/fakes.h"

namespace tilewright::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Engine, RightImplementationsAreTimedInEveryRound) {
  FakeComparison comparison;
  comparison.add("one", right_gemm());
  comparison.add("two", right_gemm());
  std::vector<std::string> told;
  std::size_t done = 0;
  Progress progress;
  progress.step = [&](std::size_t cell, std::size_t cells, const std::string& doing, double elapsed,
                      double) {
    EXPECT_EQ(cell, 0u);
    EXPECT_EQ(cells, 1u);
    EXPECT_GE(elapsed, 0);
    if (doing.starts_with("round")) told.push_back(doing);
  };
  progress.cell_done = [&](const Cell& cell) {
    ++done;
    EXPECT_EQ(cell.entries.size(), 2u);
  };
  const std::vector<Cell> cells = comparison.run(progress);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(done, 1u);
  EXPECT_THAT(told, ElementsAre("round 1 of 3: one", "round 1 of 3: two", "round 2 of 3: two",
                                "round 2 of 3: one", "round 3 of 3: one", "round 3 of 3: two"));
  const Cell& cell = cells[0];
  EXPECT_EQ(cell.regime, "sustained");
  EXPECT_EQ(cell.timer, "fake");
  EXPECT_EQ(cell.device_uuid, "a small machine");
  EXPECT_EQ(cell.fill, "uniform[-1,1]");
  EXPECT_EQ(cell.footprint_bytes, 2 * (8 * 16 + 16 * 24 + 8 * 24));
  EXPECT_EQ(cell.sets, 24);
  EXPECT_EQ(cell.cache_bytes, 16 << 10);
  EXPECT_TRUE(cell.notes.empty());
  for (const Entry& entry : cell.entries) {
    EXPECT_EQ(entry.status, "ok") << entry.reason;
    EXPECT_EQ(entry.kernel, "fake-kernel");
    EXPECT_EQ(entry.version, "1.0");
    EXPECT_EQ(entry.path, "/lib/fake.so");
    EXPECT_EQ(entry.workspace_limit_bytes, 64);
    EXPECT_TRUE(entry.check_before.passed);
    EXPECT_TRUE(entry.check_after.passed);
    EXPECT_EQ(entry.check_after.elements, 8 * 24);
    EXPECT_EQ(entry.launches_per_sample, 24);
    EXPECT_EQ(entry.rounds_ns.size(), 3u);
    EXPECT_EQ(entry.rounds_ns[2], (std::vector<std::int64_t>{24000, 24000}));
    EXPECT_EQ(entry.time_ns, 1000);
  }
}

TEST(Engine, LaunchesUseEverySetInTurnAWholeNumberOfTimes) {
  FakeComparison comparison;
  comparison.protocol.sample_target_us = 60;  // of 1 us launches over 24 sets: three passes
  std::vector<const void*> outputs;
  comparison.add("one", [&](const GemmProblem& p, const GemmArgs& args) {
    outputs.push_back(args.d);
    return plain_gemm(p, args);
  });
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].entries[0].status, "ok") << cells[0].entries[0].reason;
  EXPECT_EQ(cells[0].entries[0].launches_per_sample, 72);
  EXPECT_THAT(comparison.script->prepared, ElementsAre(1, 24, 24, 72));
  ASSERT_GT(outputs.size(), 100u);
  const std::vector<const void*> last(outputs.end() - 72, outputs.end());
  EXPECT_EQ(std::set<const void*>(last.begin(), last.begin() + 24).size(), 24u);
  for (std::size_t i = 24; i < last.size(); ++i) EXPECT_EQ(last[i], last[i - 24]);
}

// A clock that can go on from sample to sample needs no whole passes, however many sets there are.
TEST(Engine, AContinuingTimerTakesShortSamplesAndStillUsesEverySet) {
  FakeComparison comparison;
  comparison.script->continues = true;
  comparison.protocol.sample_target_us = 5;
  std::vector<const void*> outputs;
  comparison.add("one", [&](const GemmProblem& p, const GemmArgs& args) {
    outputs.push_back(args.d);
    return plain_gemm(p, args);
  });
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].sets, 24);
  EXPECT_EQ(cells[0].entries[0].status, "ok") << cells[0].entries[0].reason;
  EXPECT_TRUE(cells[0].entries[0].check_after.passed);
  EXPECT_THAT(comparison.script->prepared, ElementsAre(1, 24, 1, 5));
  // Prepared (5 launches), then three rounds of a lead-in and two samples of 5.
  const std::vector<const void*> timed(outputs.end() - 45, outputs.end());
  EXPECT_EQ(std::set<const void*>(timed.begin(), timed.end()).size(), 24u);
  for (std::size_t i = 24; i < timed.size(); ++i) EXPECT_EQ(timed[i], timed[i - 24]);
}

TEST(Engine, MissingUnsupportedAndFailingNeverStopTheOthers) {
  FakeComparison comparison;
  comparison.add("absent", right_gemm()).missing_reason = "libabsent.so was not found";
  comparison.add("refusing", right_gemm()).refusal = Status::unsupported("k must be even");
  comparison.add("broken", right_gemm()).refusal = Status::invalid("it broke");
  comparison.add("stops", [](const auto&, const auto&) { return Status::invalid("will not run"); });
  comparison.add("empty", [](const auto&, const auto&) { return Status{}; });
  comparison.add("right", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  ASSERT_EQ(cells.size(), 1u);
  std::vector<std::string> states;
  for (const Entry& entry : cells[0].entries) {
    states.push_back(entry.id + " " + entry.status + ": " + entry.reason);
    if (entry.id == "right") continue;
    EXPECT_EQ(entry.time_ns, 0) << entry.id;
    EXPECT_TRUE(entry.rounds_ns.empty()) << entry.id;
  }
  EXPECT_THAT(states,
              ElementsAre("absent missing: libabsent.so was not found",
                          "refusing unsupported: k must be even", "broken failed: it broke",
                          "stops failed: will not run",
                          HasSubstr("empty failed: wrong result: element (0, 0) was not written"),
                          "right ok: "));
  EXPECT_GT(cells[0].entries[5].time_ns, 0);
}

TEST(Engine, AnInputChangedByOneDoesNotFailTheNext) {
  FakeComparison comparison;
  comparison.add("changes", [](const GemmProblem& p, const GemmArgs& args) {
    Status status = plain_gemm(p, args);
    set_element(p.a, const_cast<void*>(args.a), 0, 7.0);
    return status;
  });
  comparison.add("right", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  EXPECT_THAT(cells[0].entries[0].reason, HasSubstr("input A is not what it was"));
  EXPECT_EQ(cells[0].entries[1].status, "ok") << cells[0].entries[1].reason;
}

// Zero, negative, or too few readings: the round fails, and with it the implementation.
TEST(Engine, ATimerThatReadsNothingFailsTheRound) {
  for (const std::int64_t reading : {0, -5}) {
    FakeComparison comparison;
    comparison.add("one", right_gemm());
    // Three to choose the launches, round 1 with its lead-in, then the second sample of round 2.
    comparison.set_readings({24000, 24000, 24000, 9, 9, 9, 9, 9, reading});
    const std::vector<Cell> cells = comparison.run();
    const Entry& entry = cells[0].entries[0];
    EXPECT_EQ(entry.status, "failed");
    EXPECT_THAT(entry.reason, HasSubstr("round 2: the timer read " + std::to_string(reading)));
    EXPECT_TRUE(entry.rounds_ns.empty());
    EXPECT_EQ(entry.time_ns, 0);
  }
  EXPECT_FALSE(check_samples({1, 2}, 3));
  EXPECT_TRUE(check_samples({1, 2}, 2));
}

// Right when it is checked, idle when it is timed: the check after the timing finds it.
TEST(Engine, WhatWasTimedIsCheckedAgain) {
  FakeComparison comparison;
  int calls = 0;
  comparison.add("lazy", [&](const GemmProblem& p, const GemmArgs& args) {
    return ++calls <= 30 ? plain_gemm(p, args) : Status{};
  });
  comparison.add("right", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  const Entry& lazy = cells[0].entries[0];
  EXPECT_TRUE(lazy.check_before.passed);
  EXPECT_FALSE(lazy.check_after.passed);
  EXPECT_EQ(lazy.status, "failed");
  EXPECT_THAT(lazy.reason, HasSubstr("after the timing: element (0, 0) was not written"));
  EXPECT_TRUE(lazy.rounds_ns.empty());
  EXPECT_EQ(cells[0].entries[1].status, "ok");
}

TEST(Engine, AReferenceThatIsWrongLetsNothingPass) {
  FakeComparison comparison;
  comparison.reference = [](const GemmProblem& p, const GemmArgs& args) {
    for (std::int64_t i = 0; i < p.m * p.n; ++i) set_element(p.d, args.d, i, 0.0);
    return Status{};
  };
  comparison.add("right", right_gemm());
  EXPECT_THAT(comparison.run()[0].entries[0].reason, HasSubstr("is all zero"));
  comparison.reference = [](const auto&, const auto&) {
    return Status::unsupported("no such row");
  };
  EXPECT_THAT(comparison.run()[0].entries[0].reason,
              HasSubstr("the reference plain-loops failed: no such row"));
}

TEST(Engine, ALostDeviceEndsTheRunAndKeepsWhatIsDone) {
  FakeComparison comparison;
  comparison.problems.assign(4, comparison.problems[0]);
  bool kill = false;
  comparison.add("right", right_gemm());
  comparison.add("wild", [&](const GemmProblem& p, const GemmArgs& args) -> Status {
    if (!kill) return plain_gemm(p, args);
    comparison.device.lost = {StatusCode::kDeviceError, "an illegal address was touched"};
    return comparison.device.lost;
  });
  comparison.add("also right", right_gemm());
  Progress progress;
  std::size_t done = 0;
  progress.cell_done = [&](const Cell&) { kill = ++done == 1; };
  const std::vector<Cell> cells = comparison.run(progress);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(done, 2u);
  for (const Entry& entry : cells[0].entries) EXPECT_EQ(entry.status, "ok");
  for (const Entry& entry : cells[1].entries) {
    EXPECT_EQ(entry.status, "failed");
    EXPECT_THAT(entry.reason, HasSubstr("an illegal address was touched"));
    EXPECT_EQ(entry.time_ns, 0);
  }
}

TEST(Engine, IsolatedIsOneLaunchASampleAfterAFlush) {
  FakeComparison comparison;
  comparison.protocol.regime = Regime::kIsolated;
  comparison.add("one", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].regime, "isolated");
  EXPECT_EQ(cells[0].sets, 2);
  EXPECT_EQ(cells[0].cache, "flushed");
  EXPECT_TRUE(cells[0].is_cold());
  EXPECT_EQ(cells[0].reuse_distance_over_cache, 2);
  EXPECT_EQ(cells[0].entries[0].launches_per_sample, 1);
  EXPECT_EQ(cells[0].entries[0].rounds_ns.size(), 3u);
  EXPECT_EQ(comparison.device.flushes, 5 + 3 * 2);  // the floor's, and before each sample
  EXPECT_EQ(comparison.script->asked.back(), 1);
}

TEST(Engine, WithoutVerificationTheRecordSaysSo) {
  FakeComparison comparison;
  comparison.protocol.check = false;
  comparison.add("empty", [](const auto&, const auto&) { return Status{}; });
  const std::vector<Cell> cells = comparison.run();
  const Entry& entry = cells[0].entries[0];
  EXPECT_EQ(entry.status, "ok");
  EXPECT_FALSE(entry.check_before.passed);
  EXPECT_THAT(entry.check_before.failure, HasSubstr("not checked"));
  EXPECT_THAT(cells[0].notes, ElementsAre(HasSubstr("not checked")));
}

TEST(Engine, LongSamplesMeanFewerOfThemAndANote) {
  FakeComparison comparison;
  comparison.protocol.samples_per_round = 10;
  comparison.set_readings({400'000'000});
  comparison.add("slow", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].entries[0].rounds_ns[0].size(), 2u);
  EXPECT_THAT(cells[0].notes,
              ElementsAre("slow: 2 samples a round instead of 10, as one takes 400 ms"));
  EXPECT_EQ(comparison.script->asked.back(), 2);  // no lead-in either
}

TEST(Timers, NamesThatDoNotFitTheDeviceAreRefused) {
  FakeDevice device;
  Protocol isolated;
  isolated.regime = Regime::kIsolated;
  EXPECT_EQ(settled_protocol({}, Backend::kCpu).timer, "wall");
  EXPECT_EQ(settled_protocol({}, Backend::kCuda).timer, "events");
  EXPECT_EQ(settled_protocol(isolated, Backend::kCuda).timer, "cupti");
  EXPECT_TRUE(timer_factory("wall", device, 12));
  const Result<TimerFactory> events = timer_factory("events", device, 12);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(events.status().message(),
            "timer events does not exist on device cpu; wall is accepted");
}

TEST(Timers, WallRunsEveryLaunchAndGoesOnWhereItEnded) {
  FakeDevice device;
  const std::unique_ptr<Timer> timer = make_wall_timer(device);
  std::vector<std::int64_t> indices;
  const auto launch = [&](std::int64_t index) {
    indices.push_back(index);
    return index == 9 ? Status::invalid("nine") : Status{};
  };
  ASSERT_TRUE(timer->prepare(launch, 3));
  Result<std::vector<std::int64_t>> samples = timer->samples(2);
  ASSERT_TRUE(samples);
  EXPECT_TRUE(check_samples(*samples, 2));
  EXPECT_THAT(indices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(timer->samples(1).status().message(), "nine");
}

}  // namespace
}  // namespace tilewright::measure
