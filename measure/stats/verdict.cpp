#include "measure/stats/verdict.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace tilewright::measure {
namespace {

constexpr std::size_t kFewestRounds = 3;  // fewer resample into nearly nothing

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "FASTER";
    case Verdict::kSlower:
      return "SLOWER";
    case Verdict::kSame:
      return "SAME";
    case Verdict::kUndecided:
      return "UNDECIDED";
  }
  return "?";
}

Verdict verdict_of(const RatioInterval& interval, std::size_t rounds, double same_within) {
  if (rounds < kFewestRounds) return Verdict::kUndecided;
  // Symmetric in the ratio: 1 / 1.01 is as far from 1 as 1.01.
  if (interval.low >= 1 / (1 + same_within) && interval.high <= 1 + same_within) {
    return Verdict::kSame;
  }
  if (interval.high < 1) return Verdict::kFaster;
  if (interval.low > 1) return Verdict::kSlower;
  return Verdict::kUndecided;
}

RatioInterval unpaired_ratio(const std::vector<double>& a, const std::vector<double>& b,
                             const VerdictRule& rule) {
  if (a.empty() || b.empty()) return {};
  std::mt19937_64 random(rule.seed);
  const auto redrawn_median = [&](const std::vector<double>& values) {
    std::vector<double> drawn(values.size());
    for (double& value : drawn) value = values[random() % values.size()];
    return median(std::move(drawn));
  };
  std::vector<double> ratios(static_cast<std::size_t>(std::max(rule.resamples, 1)));
  for (double& ratio : ratios) {
    const double top = redrawn_median(a);
    ratio = top / redrawn_median(b);
  }
  const double tail = bootstrap_tail(rule.confidence, std::min(a.size(), b.size()));
  return {.ratio = median(a) / median(b),
          .low = quantile(ratios, tail),
          .high = quantile(ratios, 1 - tail)};
}

AaControl aa_control(const std::vector<RatioInterval>& intervals, std::size_t rounds,
                     double same_within) {
  AaControl control;
  control.cells = intervals.size();
  for (const RatioInterval& interval : intervals) {
    const Verdict verdict = verdict_of(interval, rounds, same_within);
    if (verdict == Verdict::kFaster || verdict == Verdict::kSlower) ++control.false_alarms;
    control.smallest_visible = std::max({control.smallest_visible, std::fabs(interval.high - 1),
                                         interval.low > 0 ? std::fabs(1 / interval.low - 1) : 0.0});
  }
  return control;
}

}  // namespace tilewright::measure
