#include "measure/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tilewright::measure {
double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double flops_of(const GemmProblem& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch);
}

void compute_figures(const GemmProblem& problem, Entry& entry) {
  entry.round_medians_ns.clear();
  entry.time_ns = entry.fastest_ns = entry.slowest_ns = entry.tflops = 0;
  const auto launches = static_cast<double>(std::max<std::int64_t>(entry.launches_per_sample, 1));
  for (const std::vector<std::int64_t>& round : entry.rounds_ns) {
    if (round.empty()) continue;
    entry.round_medians_ns.push_back(median({round.begin(), round.end()}) / launches);
  }
  if (entry.round_medians_ns.empty()) return;
  entry.time_ns = median(entry.round_medians_ns);
  const auto [fastest, slowest] =
      std::minmax_element(entry.round_medians_ns.begin(), entry.round_medians_ns.end());
  entry.fastest_ns = *fastest;
  entry.slowest_ns = *slowest;
  entry.settled_mhz = mean_clock(entry.turns);
  if (entry.time_ns > 0) entry.tflops = flops_of(problem) / entry.time_ns * 1e-3;
}

std::optional<double> mean_clock(const std::vector<CardTurn>& turns) {
  double sum = 0;
  int count = 0;
  for (const CardTurn& turn : turns) {
    if (!turn.sm_mhz) continue;
    sum += *turn.sm_mhz;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

RatioInterval paired_ratio(const std::vector<double>& a, const std::vector<double>& b,
                           double confidence, std::uint64_t seed, int resamples) {
  const std::size_t pairs = std::min(a.size(), b.size());
  if (pairs == 0) return {};
  std::vector<double> ratios(pairs);
  for (std::size_t i = 0; i < pairs; ++i) ratios[i] = a[i] / b[i];

  std::mt19937_64 random(seed);
  std::vector<double> medians(static_cast<std::size_t>(std::max(resamples, 1)));
  std::vector<double> drawn(pairs);
  for (double& one : medians) {
    for (double& value : drawn) value = ratios[random() % pairs];
    one = median(drawn);
  }
  const double tail = (1 - confidence) / 2;
  return {
      .ratio = median(ratios), .low = quantile(medians, tail), .high = quantile(medians, 1 - tail)};
}

}  // namespace tilewright::measure
