#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

TEST(Stats, MedianOfOddEvenAndNoValues) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Stats, FiguresAreTheMedianOfRoundMediansOfOneLaunch) {
  Entry entry;
  entry.launches_per_sample = 4;
  entry.rounds_ns = {{400, 440, 4000}, {800, 800, 800}, {480, 480, 100}};
  GemmProblem problem;
  problem.m = 10, problem.n = 20, problem.k = 30, problem.batch = 2;
  compute_figures(problem, entry);
  EXPECT_EQ(entry.round_medians_ns, (std::vector<double>{110, 200, 120}));
  EXPECT_EQ(entry.time_ns, 120);
  EXPECT_EQ(entry.fastest_ns, 110);
  EXPECT_EQ(entry.slowest_ns, 200);
  EXPECT_DOUBLE_EQ(entry.tflops, 2.0 * 10 * 20 * 30 * 2 / 120 * 1e-3);
}

TEST(Stats, FiguresOfAnEntryWithoutSamplesAreZero) {
  Entry entry;
  entry.time_ns = entry.tflops = 5;
  entry.round_medians_ns = {1};
  compute_figures({}, entry);
  EXPECT_TRUE(entry.round_medians_ns.empty());
  EXPECT_EQ(entry.time_ns, 0);
  EXPECT_EQ(entry.tflops, 0);
}

TEST(Stats, PairedRatioCancelsDriftBetweenRounds) {
  std::vector<double> a, b;
  for (int round = 0; round < 8; ++round) {
    const double drift = 100 + 40 * round;
    a.push_back(drift * 1.1);
    b.push_back(drift);
  }
  const RatioInterval ratio = paired_ratio(a, b);
  EXPECT_NEAR(ratio.ratio, 1.1, 1e-12);
  EXPECT_NEAR(ratio.low, 1.1, 1e-12);
  EXPECT_NEAR(ratio.high, 1.1, 1e-12);
}

TEST(Stats, BootstrapIntervalHoldsTheRatioAndRepeats) {
  const std::vector<double> a{10, 11, 9, 12, 10, 11, 9, 10};
  const std::vector<double> b(8, 10.0);
  const RatioInterval first = paired_ratio(a, b, 0.95, 7);
  EXPECT_LT(first.low, first.ratio);
  EXPECT_GT(first.high, first.ratio);
  EXPECT_GE(first.low, 0.9);
  EXPECT_LE(first.high, 1.2);
  const RatioInterval again = paired_ratio(a, b, 0.95, 7);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_EQ(paired_ratio({}, b).ratio, 0);
}

}  // namespace
}  // namespace tilewright::measure
