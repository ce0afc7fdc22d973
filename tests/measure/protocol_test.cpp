// The protocol around the rounds: the card's state, its faults, its other users, budgets, cache
// treatments, order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "measure/stats/speed_of_light.h"
#include "tests/measure/fakes.h"

namespace tilewright::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A steady card: everything that can be read, the same at every look.
CardReading steady() {
  CardReading reading;
  reading.sm_mhz = 1500;
  reading.memory_mhz = 3200;
  reading.power_mw = 690'000;
  reading.average_power_mw = 680'000;
  reading.temperature_c = 60;
  reading.energy_mj = 1000;
  reading.event_reasons = 0x4;
  return reading;
}

void put_card(FakeComparison& comparison, std::function<CardReading(int)> reading) {
  comparison.card.why_missing.clear();
  comparison.card.highest = 1980;
  comparison.card.reading = std::move(reading);
}

// Samples so long that one of them is a step of a warm-up or of an energy window.
void take_long_samples(FakeComparison& comparison) {
  comparison.set_readings(std::vector<std::int64_t>(2000, 60'000'000));
}

TEST(Protocol, EachTurnHasTheCardBeforeAndAfterIt) {
  FakeComparison comparison;
  put_card(comparison, [](int) { return steady(); });
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  const Entry& entry = cell.entries[0];
  EXPECT_EQ(entry.status, "ok") << entry.reason;
  ASSERT_EQ(entry.turns.size(), 3u);
  EXPECT_EQ(entry.turns[0].before.power_mw, 690'000);
  EXPECT_LT(entry.turns[0].before.at_ns, entry.turns[0].after.at_ns);
  EXPECT_EQ(entry.turns[2].sm_mhz, 1500.0);
  EXPECT_EQ(entry.settled_mhz, 1500.0);
  EXPECT_THAT(cell.trace, Not(IsEmpty()));
}

TEST(Protocol, WithoutACardThereAreNoFiguresOfIt) {
  FakeComparison comparison;
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  EXPECT_THAT(cell.entries[0].turns, IsEmpty());
  EXPECT_FALSE(cell.entries[0].settled_mhz.has_value());
  EXPECT_FALSE(cell.warm_up.settled.has_value());
  EXPECT_THAT(cell.trace, IsEmpty());
}

TEST(Cases, B05_ThrottledForEverEndsWithAReasonAndNoNumbers) {
  FakeComparison comparison;
  put_card(comparison, [](int) {
    CardReading reading = steady();
    reading.sm_mhz = 700;
    return reading;
  });
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  const Entry& entry = cell.entries[0];
  EXPECT_EQ(entry.status, "failed");
  EXPECT_THAT(entry.reason, HasSubstr("no valid sample (throttled: the SM clock was 700 MHz"));
  EXPECT_THAT(entry.rounds_ns, IsEmpty());
  EXPECT_EQ(entry.time_ns, 0);
  EXPECT_THAT(cell.notes,
              ElementsAre(HasSubstr("6 rounds did not count")));  // twice as many as asked
}

// Heat in the second round: it is played again, for everyone, and the pairs stay pairs.
TEST(Protocol, ARoundThatTheCardSpoiltIsPlayedAgainForAll) {
  FakeComparison comparison;
  comparison.add("one", right_gemm());
  comparison.add("two", right_gemm());
  int spoilt_reads = 0;
  put_card(comparison, [&](int call) {
    CardReading reading = steady();
    // Two reads a turn, two turns a round: reads 4 .. 7 are of the second round.
    if (call == 5) {
      reading.event_reasons = 0x40;
      ++spoilt_reads;
    }
    return reading;
  });
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(spoilt_reads, 1);
  for (const Entry& entry : cell.entries) {
    EXPECT_EQ(entry.status, "ok") << entry.reason;
    EXPECT_EQ(entry.rounds_ns.size(), 3u);
    EXPECT_EQ(entry.turns.size(), 3u);
    EXPECT_TRUE(entry.check_after.passed);
  }
  EXPECT_EQ(cell.order.size(), 3u);
  EXPECT_THAT(cell.notes,
              ElementsAre("1 rounds did not count: throttled: hardware thermal slowdown"));
}

TEST(Cases, B31_AnotherProcessHalfWayStopsTheRun) {
  for (const bool allowed : {false, true}) {
    FakeComparison comparison;
    comparison.protocol.allow_busy = allowed;
    comparison.problems.assign(2, comparison.problems[0]);
    put_card(comparison, [](int) { return steady(); });
    comparison.card.processes = [](int call) {
      return call < 2 ? std::vector<CardProcess>{}
                      : std::vector<CardProcess>{{4242, "miner", std::nullopt}};
    };
    comparison.add("one", right_gemm());
    const ComparedCells done = comparison.compare();
    const Entry& entry = done.cells[0].entries[0];
    if (allowed) {
      EXPECT_EQ(done.cells.size(), 2u);
      EXPECT_EQ(entry.status, "ok");
      EXPECT_THAT(entry.flags, ElementsAre(HasSubstr("contended: another process computes on this "
                                                     "card: 4242 (miner)")));
    } else {
      EXPECT_EQ(done.cells.size(), 1u);
      EXPECT_THAT(done.ended_early, HasSubstr("round 3: another process"));
      EXPECT_EQ(entry.status, "failed");
      EXPECT_EQ(entry.time_ns, 0);
    }
  }
}

TEST(Protocol, FixedFrequencyFailsWhereTheClockMoves) {
  for (const bool moves : {false, true}) {
    FakeComparison comparison;
    comparison.protocol.test = TestType::kFixedFrequency;
    put_card(comparison, [moves](int call) {
      CardReading reading = steady();
      if (moves && call == 4) reading.sm_mhz = 1515;
      return reading;
    });
    comparison.add("one", right_gemm());
    const Cell cell = comparison.run()[0];
    EXPECT_EQ(cell.test, "fixed-frequency");
    EXPECT_EQ(cell.fill, "zero");
    if (moves) {
      EXPECT_THAT(cell.entries[0].reason, HasSubstr("moved from 1500 to 1515 MHz"));
    } else {
      EXPECT_EQ(cell.entries[0].status, "ok") << cell.entries[0].reason;
    }
  }
}

TEST(Protocol, WarmUpGoesOnUntilTheClockStandsStill) {
  FakeComparison comparison;
  comparison.protocol.first_warmup_ms = 100;
  comparison.clock.step_ns = 4'000'000;
  take_long_samples(comparison);
  // 40 MHz lower at each look, and still from the fiftieth on.
  put_card(comparison, [](int call) {
    CardReading reading = steady();
    reading.sm_mhz = 1980 - 10 * std::min(call, 50);
    return reading;
  });
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(cell.warm_up.settled, true);
  EXPECT_GT(cell.warm_up.ms, 400);
  EXPECT_THAT(cell.notes, IsEmpty());
}

TEST(Protocol, WarmUpEndsAllTheSameAndSaysThatItWasTooShort) {
  FakeComparison comparison;
  comparison.protocol.first_warmup_ms = 100;
  comparison.protocol.most_warmup_ms = 2000;
  comparison.clock.step_ns = 4'000'000;
  take_long_samples(comparison);
  put_card(comparison, [](int call) {
    CardReading reading = steady();
    reading.sm_mhz = call % 200 < 100 ? 1980 - 5 * (call % 100) : 1480 + 5 * (call % 100);
    return reading;
  });
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(cell.warm_up.settled, false);
  ASSERT_FALSE(cell.notes.empty());
  EXPECT_THAT(cell.notes[0], HasSubstr("clock and power still moved"));
}

TEST(Protocol, CellsStandApartBySoMuchIdleTime) {
  FakeComparison comparison;
  comparison.problems.assign(3, comparison.problems[0]);
  comparison.protocol.idle_ms = 250;
  comparison.add("one", right_gemm());
  comparison.run();
  EXPECT_THAT(comparison.clock.slept, ElementsAre(250'000'000, 250'000'000));
}

TEST(Protocol, AnIsolatedSampleIsFollowedByAPauseInProportion) {
  FakeComparison comparison;
  comparison.protocol.regime = Regime::kIsolated;
  comparison.protocol.pause = 2.5;
  comparison.add("one", right_gemm());
  comparison.run();
  ASSERT_EQ(comparison.clock.slept.size(), 6u);  // 3 rounds of 2 samples
  for (const std::int64_t slept : comparison.clock.slept) EXPECT_EQ(slept, 2500);
}

TEST(Protocol, AWarmCellIsNeverCalledCold) {
  FakeComparison comparison;
  comparison.protocol.cache = CacheUse::kWarm;
  comparison.add("one", right_gemm());
  const Cell warm = comparison.run()[0];
  EXPECT_EQ(warm.cache, "warm");
  EXPECT_FALSE(warm.is_cold());
  EXPECT_THAT(warm.notes, ElementsAre(HasSubstr("warm, as asked for")));
  // Rotated, but memory ends before the cache is passed.
  FakeComparison capped;
  capped.device.limit_bytes = 1;
  capped.add("one", right_gemm());
  const Cell two_sets = capped.run()[0];
  EXPECT_EQ(two_sets.sets, 2);
  EXPECT_FALSE(two_sets.is_cold());
}

TEST(Protocol, APersistingReservationIsTakenBackAfterEachTurn) {
  class Prepared final : public PreparedGemm {
   public:
    explicit Prepared(GemmProblem problem) : problem_(std::move(problem)) {}
    std::string kernel_name() const override { return "persisting"; }
    std::int64_t persisting_l2_bytes() const override { return 4096; }
    Status run(const GemmArgs& args, Stream) override { return plain_gemm(problem_, args); }

   private:
    GemmProblem problem_;
  };
  class Peer final : public Implementation {
   public:
    std::string_view id() const override { return "persisting"; }
    std::string missing() const override { return ""; }
    Provenance provenance() const override { return {}; }
    Result<std::unique_ptr<PreparedGemm>> prepare(const GemmProblem& problem, const DeviceInfo&,
                                                  std::span<const GemmArgs>, Stream) override {
      return std::unique_ptr<PreparedGemm>(std::make_unique<Prepared>(problem));
    }
  };
  FakeComparison comparison;
  comparison.add("plain", right_gemm());
  comparison.implementations.push_back(std::make_unique<Peer>());
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(cell.entries[1].persisting_l2_bytes, 4096);
  EXPECT_THAT(comparison.device.reserved, ElementsAre(4096, 0, 4096, 0, 4096, 0));
}

TEST(Protocol, ABudgetIsSpentWhereTheVerdictIsOpen) {
  const auto run = [](std::int64_t budget_ms, std::int64_t second_ns) {
    FakeComparison comparison;
    comparison.protocol.budget_ms = budget_ms;
    comparison.protocol.most_rounds = 12;
    comparison.clock.step_ns = 200'000;
    comparison.protocol.samples_per_round = 1;
    comparison.add("one", right_gemm());
    comparison.add("two", right_gemm());
    // Three probes each, then a lead-in and a sample a turn.
    std::vector<std::int64_t> readings(6, 24000);
    for (int turn = 0; turn < 60; ++turn) {
      readings.push_back(24000);
      // The second one is slower in half of its rounds, faster in the other.
      readings.push_back(turn % 4 == 1 ? second_ns : 24000);
    }
    comparison.set_readings(readings);
    return comparison.run()[0];
  };
  EXPECT_EQ(run(0, 48000).stopped, "rounds");
  EXPECT_EQ(run(0, 48000).order.size(), 3u);
  const Cell open = run(1'000'000, 48000);
  EXPECT_EQ(open.stopped, "most");
  EXPECT_EQ(open.order.size(), 12u);
  EXPECT_EQ(open.entries[0].rounds_ns.size(), 12u);
  EXPECT_TRUE(open.entries[1].check_after.passed);
  EXPECT_EQ(run(1'000'000, 24000).stopped, "decided");
  EXPECT_EQ(run(1, 48000).stopped, "budget");
}

TEST(Protocol, ABalancedOrderPutsEachOneAfterEachOtherOneEquallyOften) {
  FakeComparison comparison;
  comparison.protocol.order = OrderKind::kBalanced;
  comparison.protocol.rounds = 4;
  for (const char* id : {"a", "b", "c", "d"}) comparison.add(id, right_gemm());
  const Cell cell = comparison.run()[0];
  std::set<std::pair<std::int64_t, std::int64_t>> neighbours;
  for (const auto& round : cell.order) {
    for (std::size_t i = 1; i < round.size(); ++i) neighbours.insert({round[i - 1], round[i]});
  }
  EXPECT_EQ(neighbours.size(), 12u);
}

TEST(Protocol, EnergyNeedsAWindowThatTheCounterCanResolve) {
  for (const int window_ms : {2000, 20}) {
    FakeComparison comparison;
    comparison.protocol.energy_ms = window_ms;
    comparison.clock.step_ns = 5'000'000;
    take_long_samples(comparison);
    put_card(comparison, [&](int) {
      CardReading reading = steady();
      // 0.7 W, in steps of 10 ms.
      reading.energy_mj = comparison.clock.now / 10'000'000 * 7;
      return reading;
    });
    comparison.protocol.rounds = 40;
    comparison.add("one", right_gemm());
    const Cell cell = comparison.run()[0];
    const Entry& entry = cell.entries[0];
    EXPECT_EQ(entry.status, "ok") << entry.reason;
    EXPECT_EQ(entry.energy.has_value(), window_ms == 2000) << window_ms;
    if (entry.energy) {
      EXPECT_NEAR(static_cast<double>(entry.energy->energy_mj), 1400, 30);
      EXPECT_GT(entry.energy->launches, 0);
    } else {
      EXPECT_THAT(cell.notes, ElementsAre(HasSubstr("too short for a counter")));
    }
  }
}

TEST(Protocol, ALeadInOfItsOwnComesBeforeTheSamples) {
  FakeComparison comparison;
  comparison.protocol.lead_in_ms = 1;  // samples are of 24 us
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(comparison.script->asked.back(), 1'000'000 / 24'000 + 2);
  EXPECT_EQ(cell.entries[0].rounds_ns[0].size(), 2u);
}

TEST(Protocol, DoubtsStandBesideTheFigure) {
  FakeComparison comparison;
  comparison.script->facts.host_ns = 30'000;
  comparison.script->facts.overlaps = true;
  comparison.add("one", right_gemm());
  const Entry entry = comparison.run()[0].entries[0];
  EXPECT_EQ(entry.status, "ok");
  EXPECT_THAT(entry.flags, ElementsAre(HasSubstr("host-bound: the host needed 30 us"),
                                       HasSubstr("overlapping")));
}

// A memset before the kernel of one call: the gap between them is the profiler's doing.
TEST(Protocol, GapsThatTracingMakesAreFlaggedAndTheHostIsNot) {
  FakeComparison comparison;
  comparison.protocol.regime = Regime::kIsolated;
  comparison.script->facts.host_ns = 30'000;
  comparison.script->facts.gap_ns = 200;
  comparison.add("one", right_gemm());
  EXPECT_THAT(comparison.run()[0].entries[0].flags,
              ElementsAre(HasSubstr("traced gaps: 0.2 of its 1 us")));
  comparison.script->facts.gap_ns = 5;
  EXPECT_THAT(comparison.run()[0].entries[0].flags, IsEmpty());
}

TEST(Protocol, TheTripleAndTheFloorAreTimed) {
  FakeComparison comparison;
  comparison.protocol.triple = true;
  comparison.add("one", right_gemm());
  const Cell cell = comparison.run()[0];
  EXPECT_EQ(cell.read_floor_ns, 1000);
  EXPECT_EQ(cell.clock_overhead_ns, 1000);
  ASSERT_TRUE(cell.entries[0].triple.has_value());
  EXPECT_EQ(cell.entries[0].triple->flushed_ns, 1000);
}

TEST(Protocol, EntropyTellsZerosFromNoise) {
  for (const Fill fill : {Fill::kUniform, Fill::kZero}) {
    FakeComparison comparison;
    comparison.problems = {default_gemm(64, 64, 64, DType::kF16, DType::kF16)};
    comparison.protocol.fill = FillChoice{fill, {}};
    comparison.protocol.check = false;
    comparison.add("one", right_gemm());
    const Cell cell = comparison.run()[0];
    EXPECT_EQ(cell.fill, name_of(fill));
    if (fill == Fill::kZero) {
      EXPECT_EQ(cell.fill_entropy_bits, 0);
    } else {
      EXPECT_GT(cell.fill_entropy_bits.value(), 6);
    }
  }
}

TEST(Protocol, AFileFillsTheOperandsAgainAndAgain) {
  FakeComparison comparison;
  const std::vector<std::byte> two{std::byte{0x00}, std::byte{0x3c}, std::byte{0x00},
                                   std::byte{0x40}};  // 1 and 2 in f16
  comparison.protocol.fill = FillChoice{Fill::kFile, two};
  std::vector<float> seen;
  comparison.add("one", [&](const GemmProblem& p, const GemmArgs& args) {
    if (seen.empty())
      seen = {element(p.a, args.a, 0), element(p.a, args.a, 1), element(p.a, args.a, 2)};
    return plain_gemm(p, args);
  });
  EXPECT_EQ(comparison.run()[0].entries[0].status, "ok");
  EXPECT_THAT(seen, ElementsAre(1.0f, 2.0f, 1.0f));
}

}  // namespace
}  // namespace tilewright::measure
