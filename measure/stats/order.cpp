#include "measure/stats/order.h"

#include <algorithm>
#include <cmath>

namespace tilewright::measure {
namespace {

std::vector<std::size_t> rotated_round(std::size_t count, std::size_t round) {
  std::vector<std::size_t> order(count);
  const std::size_t first = round % count;
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = round % 2 == 0 ? (first + i) % count : (first + count - i) % count;
  }
  return order;
}

// Williams (1949): 0, 1, n-1, 2, n-2, .. has each difference between neighbours once, so its n
// shifts have each ordered pair of neighbours once. For odd n differences d and -d share their
// places, and only the shifts together with their mirror images are balanced.
std::vector<std::size_t> balanced_round(std::size_t count, std::size_t round) {
  std::vector<std::size_t> order(count);
  const std::size_t shift = round / (count % 2 == 0 ? 1 : 2) % count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = i % 2 == 1 ? (i + 1) / 2 : count - i / 2;
    order[i] = (step + shift) % count;
  }
  if (count % 2 == 1 && round % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

// One turn: who, in which round, after whom, and the logarithm of its time.
struct LoggedTurn {
  std::size_t one, round, before;
  double log_time;
};

// The effect of each level of one factor, as the mean of what the other two leave.
template <class Level, class Rest>
void fit(const std::vector<LoggedTurn>& turns, Level level, Rest rest,
         std::vector<double>& effects) {
  std::vector<double> sums(effects.size(), 0), counts(effects.size(), 0);
  for (const LoggedTurn& turn : turns) {
    sums[level(turn)] += rest(turn);
    ++counts[level(turn)];
  }
  for (std::size_t i = 0; i < effects.size(); ++i)
    effects[i] = counts[i] > 0 ? sums[i] / counts[i] : 0;
}

}  // namespace

std::vector<std::size_t> round_order(OrderKind kind, std::size_t count, std::size_t round) {
  if (count == 0) return {};
  return kind == OrderKind::kBalanced && count > 2 ? balanced_round(count, round)
                                                   : rotated_round(count, round);
}

std::vector<CarryOver> carry_over(const std::vector<std::vector<std::size_t>>& orders,
                                  const std::vector<std::vector<double>>& medians) {
  const std::size_t count = medians.size();
  if (count < 3) return {};
  std::vector<LoggedTurn> turns;
  std::vector<std::size_t> successors(count, 0);
  std::size_t before = count;
  for (std::size_t round = 0; round < orders.size(); ++round) {
    for (const std::size_t one : orders[round]) {
      if (one >= count) continue;
      const bool timed = round < medians[one].size() && medians[one][round] > 0;
      // After itself (last in one round, first in the next) it tells nothing of another.
      if (timed && before < count && before != one) {
        turns.push_back({one, round, before, std::log(medians[one][round])});
        ++successors[before];
      }
      before = one;
    }
  }
  // Least squares by fitting one factor after the other until none of them moves.
  constexpr int kSweeps = 200;
  std::vector<double> own(count, 0), common(orders.size(), 0), after(count, 0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    fit(
        turns, [](const LoggedTurn& t) { return t.one; },
        [&](const LoggedTurn& t) { return t.log_time - common[t.round] - after[t.before]; }, own);
    fit(
        turns, [](const LoggedTurn& t) { return t.round; },
        [&](const LoggedTurn& t) { return t.log_time - own[t.one] - after[t.before]; }, common);
    fit(
        turns, [](const LoggedTurn& t) { return t.before; },
        [&](const LoggedTurn& t) { return t.log_time - own[t.one] - common[t.round]; }, after);
  }
  double all = 0;
  const auto preceding = static_cast<double>(
      std::count_if(successors.begin(), successors.end(), [](std::size_t n) { return n > 0; }));
  for (const double effect : after) all += effect;
  std::vector<CarryOver> found;
  for (std::size_t i = 0; i < count && preceding > 1; ++i) {
    if (successors[i] == 0) continue;
    found.push_back({i, std::expm1(after[i] - (all - after[i]) / (preceding - 1)), successors[i]});
  }
  return found;
}

}  // namespace tilewright::measure
