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

// Williams (1949): 0, 1, n-1, 2, n-2, .. has each difference between neighbours once, so its n shifts
// have each ordered pair of neighbours once. For odd n differences d and -d share their places, and
// only the shifts together with their mirror images are balanced.
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

double mean(const std::vector<double>& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / static_cast<double>(count);
}

// log times, less the mean of their implementation and of their round.
std::vector<std::vector<double>> residuals(const std::vector<std::vector<double>>& medians,
                                           std::size_t rounds) {
  std::vector<std::vector<double>> logs;
  for (const std::vector<double>& of_one : medians) {
    std::vector<double>& line = logs.emplace_back(rounds, std::nan(""));
    for (std::size_t r = 0; r < std::min(rounds, of_one.size()); ++r) {
      if (of_one[r] > 0) line[r] = std::log(of_one[r]);
    }
    const double own = mean(line);
    for (double& value : line) value -= own;
  }
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<double> column;
    for (const auto& line : logs) column.push_back(line[r]);
    const double common = mean(column);
    for (auto& line : logs) line[r] -= common;
  }
  return logs;
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
  const auto left = residuals(medians, orders.size());
  std::vector<double> sums(count, 0);
  std::vector<std::size_t> turns(count, 0);
  const std::size_t kNobody = count;
  std::size_t before = kNobody;
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (const std::size_t one : orders[r]) {
      if (one >= count) continue;
      // After itself (last in one round, first in the next) it tells nothing of another.
      if (before != kNobody && before != one && std::isfinite(left[one][r])) {
        sums[before] += left[one][r];
        ++turns[before];
      }
      before = one;
    }
  }
  std::vector<CarryOver> found;
  double all = 0;
  std::size_t all_turns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all += sums[i];
    all_turns += turns[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (turns[i] == 0 || all_turns == turns[i]) continue;
    const auto mine = static_cast<double>(turns[i]);
    const double others = (all - sums[i]) / (static_cast<double>(all_turns) - mine);
    found.push_back({i, std::expm1(sums[i] / mine - others), turns[i]});
  }
  return found;
}

}  // namespace tilewright::measure
