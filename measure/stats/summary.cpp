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

double bootstrap_tail(double confidence, std::size_t count) {
  const auto both_tails = [](double z) { return std::erfc(z / std::sqrt(2.0)); };
  double low = 0, high = 40;  // the normal quantile lies between
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (both_tails(middle) > 1 - confidence ? low : high) = middle;
  }
  const double z = low;
  if (count < 2) return both_tails(z) / 2;
  const double v = static_cast<double>(count - 1), z2 = z * z;
  const double t = z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
                   z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
  return both_tails(t * std::sqrt((v + 1) / v)) / 2;
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
  const double tail = bootstrap_tail(confidence, pairs);
  return {
      .ratio = median(ratios), .low = quantile(medians, tail), .high = quantile(medians, 1 - tail)};
}

}  // namespace tilewright::measure
