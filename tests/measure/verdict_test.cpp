#include "measure/stats/verdict.h"

#include <gtest/gtest.h>

#include <random>

namespace tilewright::measure {
namespace {

constexpr std::size_t kRounds = 8;

// Round medians with a drift that both share and noise of their own.
struct Pair {
  std::vector<double> a, b;
};
Pair play(std::uint64_t seed, double slower) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.005), drift(0, 0.02);
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
  EXPECT_LT(control.smallest_visible, 0.03);
}

}  // namespace
}  // namespace tilewright::measure
