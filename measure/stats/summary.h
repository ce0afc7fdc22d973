// Figures from raw samples. Whatever is printed is computed here, from what the file holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/record/result.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

// Of an even count the mean of the two in the middle; NaN for no values.
double median(std::vector<double> values);

// The value below which the share `q` of the values lies, interpolated; there must be one at least.
double quantile(std::vector<double> values, double q);

// Products of the shape that was asked for: 2 m n k batch.
double flops_of(const GemmProblem& problem);

// Fills round_medians_ns, time_ns, fastest_ns, slowest_ns and tflops of `entry` from its rounds_ns
// and launches_per_sample. Without samples every figure is 0.
void compute_figures(const GemmProblem& problem, Entry& entry);

// Mean over the turns that have one.
std::optional<double> mean_clock(const std::vector<CardTurn>& turns);

struct RatioInterval {
  double ratio = 0;          // median over the rounds of a[i] / b[i]
  double low = 0, high = 0;  // bootstrap interval of that median, see bootstrap_tail
};

// The share of resampled medians to leave out at either end for an interval of `confidence` from
// `count` values: the expanded percentile interval. Plain percentiles, (1 - confidence) / 2, are too
// narrow for few values, by the factor sqrt((count - 1) / count) and by taking the normal quantile
// for Student's t: Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 5.3. t
// by Abramowitz and Stegun 26.7.5.
double bootstrap_tail(double confidence, std::size_t count);

// Round i of `a` against round i of `b`: what drifts from round to round cancels. `rounds` are
// resampled `resamples` times with a generator seeded by `seed`, so the interval can be computed
// again. All zero when there is no pair; pairs beyond the shorter list are dropped.
RatioInterval paired_ratio(const std::vector<double>& a, const std::vector<double>& b,
                           double confidence = 0.95, std::uint64_t seed = 1, int resamples = 10000);

}  // namespace tilewright::measure
