#include "measure/stats/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace tilewright::measure {
namespace {

TEST(Order, AWilliamsDesignPutsEachAfterEachOtherEquallyOften) {
  for (std::size_t count = 3; count <= 9; ++count) {
    const std::size_t rounds = count % 2 == 0 ? count : 2 * count;
    std::map<std::pair<std::size_t, std::size_t>, int> followed;
    std::map<std::pair<std::size_t, std::size_t>, int> placed;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<std::size_t> order = round_order(OrderKind::kBalanced, count, round);
      for (std::size_t i = 0; i < count; ++i) ++placed[{order[i], i}];
      for (std::size_t i = 1; i < count; ++i) ++followed[{order[i - 1], order[i]}];
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(order[i], i) << "no permutation";
    }
    const int each = count % 2 == 0 ? 1 : 2;
    EXPECT_EQ(followed.size(), count * (count - 1)) << count;
    for (const auto& [pair, times] : followed) EXPECT_EQ(times, each) << count;
    for (const auto& [pair, times] : placed) EXPECT_EQ(times, each) << count;
  }
}

TEST(Order, TwoAreBalancedByRotation) {
  EXPECT_EQ(round_order(OrderKind::kBalanced, 2, 1), round_order(OrderKind::kRotated, 2, 1));
  EXPECT_TRUE(round_order(OrderKind::kBalanced, 0, 3).empty());
}

struct Played {
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::vector<double>> medians;
};

// Times of `count` implementations, 10 us times 1 + its number, with noise and a drift; those right
// after `heavy` are longer by `effect`.
Played play(std::size_t count, std::size_t rounds, std::size_t heavy, double effect) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.0005);
  Played played;
  played.medians.resize(count);
  std::size_t before = count;
  for (std::size_t round = 0; round < rounds; ++round) {
    played.orders.push_back(round_order(OrderKind::kBalanced, count, round));
    std::vector<double> times(count);
    for (const std::size_t one : played.orders.back()) {
      const double carried = before == heavy ? 1 + effect : 1;
      const double drift = 1 + 0.01 * static_cast<double>(round);
      times[one] = 1e4 * static_cast<double>(one + 1) * drift * carried * (1 + noise(random));
      before = one;
    }
    for (std::size_t i = 0; i < count; ++i) played.medians[i].push_back(times[i]);
  }
  return played;
}

// Effects are relative to the others': the planted one is seen by all of them, as a share.
double expected_after(std::size_t predecessor, std::size_t count, double effect) {
  return predecessor == 0 ? effect : -effect / static_cast<double>(count - 1);
}

TEST(Order, CarryOverIsFoundWhereItWasPlanted) {
  for (std::size_t count = 3; count <= 9; ++count) {
    for (const std::size_t rounds : {8u, 24u}) {
      for (const double effect : {0.02, 0.0}) {
        const Played played = play(count, rounds, 0, effect);
        const std::vector<CarryOver> found = carry_over(played.orders, played.medians);
        ASSERT_EQ(found.size(), count);
        for (const CarryOver& each : found) {
          EXPECT_NEAR(each.effect, expected_after(each.predecessor, count, effect), 0.003)
              << count << " in " << rounds << " rounds, after " << each.predecessor;
          EXPECT_GT(each.turns, 0u);
        }
      }
    }
  }
  EXPECT_TRUE(carry_over({{0, 1}, {1, 0}}, {{1, 1}, {1, 1}}).empty());
}

TEST(Order, CarryOverBearsTurnsWithoutATime) {
  Played played = play(4, 24, 0, 0.02);
  std::size_t timed = 0;
  for (const CarryOver& each : carry_over(played.orders, played.medians)) timed += each.turns;
  for (std::size_t round = 0; round < 24; round += 5) {
    played.medians[1][round] = std::numeric_limits<double>::quiet_NaN();
  }
  std::size_t left = 0;
  for (const CarryOver& each : carry_over(played.orders, played.medians)) {
    EXPECT_NEAR(each.effect, expected_after(each.predecessor, 4, 0.02), 0.003);
    left += each.turns;
  }
  EXPECT_EQ(timed - left, 5u);
}

}  // namespace
}  // namespace tilewright::measure
