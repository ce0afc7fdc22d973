#include "measure/stats/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tilewright::measure {
namespace {

constexpr std::size_t kRounds = 8;

// Round medians with a drift that both share and noise of their own.
struct Pair {
  std::vector<double> a, b;
};
Pair play(std::uint64_t seed, double slower, double spread = 0.01) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, spread), drift(0, 0.02);
  Pair pair;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double common = 1e5 * (1 + drift(random));
    pair.a.push_back(common * (1 + slower) * (1 + noise(random)));
    pair.b.push_back(common * (1 + noise(random)));
  }
  return pair;
}

RatioInterval interval_of(const Pair& pair) {
  const VerdictRule rule;
  return paired_ratio(pair.a, pair.b, rule.confidence, rule.seed, rule.resamples);
}

TEST(Verdict, FollowsFromTheIntervalAndTheMargin) {
  const auto of = [](double low, double high) {
    return verdict_of({(low + high) / 2, low, high}, kRounds, 0.01);
  };
  EXPECT_EQ(of(0.97, 0.985), Verdict::kFaster);
  EXPECT_EQ(of(1.02, 1.03), Verdict::kSlower);
  EXPECT_EQ(of(0.995, 1.005), Verdict::kSame);
  EXPECT_EQ(of(1.002, 1.006), Verdict::kSame);  // surely slower, by too little to count
  EXPECT_EQ(of(0.98, 1.02), Verdict::kUndecided);
  EXPECT_EQ(of(0.985, 0.995), Verdict::kFaster);
  EXPECT_EQ(verdict_of({1.05, 1.04, 1.06}, 2, 0.01), Verdict::kUndecided);
  EXPECT_EQ(name_of(Verdict::kUndecided), "UNDECIDED");
}

// Synthetic, with 1 % of noise on each time.
TEST(Cases, B29_AgainstItselfIsNoDifferenceAndThreePercentIsOne) {
  constexpr int kTrials = 200;
  int alarms = 0, found = 0, wrong_side = 0;
  std::vector<RatioInterval> same;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    same.push_back(interval_of(play(seed, 0)));
    const Verdict aa = verdict_of(same.back(), kRounds, 0.01);
    alarms += aa == Verdict::kFaster || aa == Verdict::kSlower;
    const Verdict ab = verdict_of(interval_of(play(seed + 1000, 0.03)), kRounds, 0.01);
    found += ab == Verdict::kSlower;
    wrong_side += ab == Verdict::kFaster || ab == Verdict::kSame;
  }
  EXPECT_LE(alarms, kTrials / 20);
  EXPECT_GE(found, kTrials * 95 / 100);
  EXPECT_EQ(wrong_side, 0);
  const AaControl control = aa_control(same, kRounds, 0.01);
  EXPECT_EQ(control.cells, static_cast<std::size_t>(kTrials));
  EXPECT_EQ(control.false_alarms, static_cast<std::size_t>(alarms));
  EXPECT_GT(control.smallest_visible, 0.002);
  EXPECT_LT(control.smallest_visible, 0.05);
}

// Of an interval of 95 %: both ends together leave out the truth in at most 5 of 100 runs, and in
// more than none, or it would be as wide as all data.
TEST(Verdict, ThePairedIntervalLeavesOutTheTruthAsOftenAsItSays) {
  constexpr int kTrials = 1000;
  int too_low = 0, too_high = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const RatioInterval interval = interval_of(play(static_cast<std::uint64_t>(trial), 0));
    too_low += interval.high < 1;
    too_high += interval.low > 1;
  }
  EXPECT_LE(too_low + too_high, kTrials * 5 / 100);
  EXPECT_GT(too_low + too_high, kTrials / 200);
}

// Student's t at 97.5 %: 2.3646 with 7 degrees of freedom, 1.9842 with 99.
TEST(Verdict, TheTailIsOfStudentsTWidenedForTheSample) {
  const auto normal_tail = [](double z) { return std::erfc(z / std::sqrt(2.0)) / 2; };
  EXPECT_NEAR(bootstrap_tail(0.95, 8), normal_tail(2.3646 * std::sqrt(8.0 / 7)), 2e-5);
  EXPECT_NEAR(bootstrap_tail(0.95, 100), normal_tail(1.9842 * std::sqrt(100.0 / 99)), 2e-5);
  EXPECT_NEAR(bootstrap_tail(0.95, 1), 0.025, 1e-9);
  EXPECT_NEAR(bootstrap_tail(0.5, 1000000), 0.25, 1e-5);
}

TEST(Verdict, UnpairedIsOfTheMediansInWhateverOrderTheRoundsCame) {
  const VerdictRule rule;
  const RatioInterval exact = unpaired_ratio({2, 2, 2}, {1, 1, 1, 1}, rule);
  EXPECT_EQ(exact.ratio, 2);
  EXPECT_EQ(exact.low, 2);
  EXPECT_EQ(exact.high, 2);
  const RatioInterval of_medians = unpaired_ratio({1, 3, 8}, {4, 1, 2}, rule);
  EXPECT_EQ(of_medians.ratio, 1.5);
  EXPECT_LT(of_medians.low, of_medians.ratio);
  EXPECT_GT(of_medians.high, of_medians.ratio);
  const RatioInterval again = unpaired_ratio({1, 3, 8}, {4, 1, 2}, rule);
  EXPECT_EQ(again.low, of_medians.low);
  EXPECT_EQ(again.high, of_medians.high);
  // What both lists share round by round is no evidence here, and is for pairs.
  const std::vector<double> drifting = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_LT(unpaired_ratio(drifting, drifting, rule).low, 0.9);
  EXPECT_EQ(paired_ratio(drifting, drifting).low, 1);
  EXPECT_EQ(unpaired_ratio({}, {1}, rule).high, 0);
  EXPECT_EQ(unpaired_ratio({1}, {}, rule).high, 0);
}

// Synthetic: two runs with nothing in common but their median, and 1 % of noise.
TEST(Verdict, UnpairedAgainstItselfIsNoDifferenceAndThreePercentIsOne) {
  constexpr int kTrials = 200;
  int alarms = 0, found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::mt19937_64 random(static_cast<std::uint64_t>(trial));
    std::normal_distribution<double> noise(0, 0.01);
    std::vector<double> before(kRounds), after(kRounds), slower(kRounds);
    for (double& time : before) time = 1e5 * (1 + noise(random));
    for (double& time : after) time = 1e5 * (1 + noise(random));
    std::transform(after.begin(), after.end(), slower.begin(), [](double t) { return 1.03 * t; });
    const auto verdict = [&](const std::vector<double>& now) {
      const VerdictRule rule;
      return verdict_of(unpaired_ratio(now, before, rule), kRounds, rule.same_within);
    };
    const Verdict same = verdict(after);
    alarms += same == Verdict::kFaster || same == Verdict::kSlower;
    found += verdict(slower) == Verdict::kSlower;
  }
  EXPECT_LE(alarms, kTrials / 20);
  EXPECT_GE(found, kTrials * 95 / 100);
}

}  // namespace
}  // namespace tilewright::measure
