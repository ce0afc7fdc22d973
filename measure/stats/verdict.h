// Which of two is faster, and how sure that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/stats/summary.h"

namespace tilewright::measure {

enum class Verdict { kFaster, kSlower, kSame, kUndecided };
std::string_view name_of(Verdict verdict);  // "FASTER", ..

struct VerdictRule {
  double confidence = 0.95;
  double same_within = 0.01;  // ratios closer to 1 than this count as equal
  int resamples = 2000;
  std::uint64_t seed = 1;
};

// `interval` is of a's time over b's. SAME where all of it lies within the margin around 1; else
// FASTER where all of it lies below 1, SLOWER above 1; else UNDECIDED, and so with fewer than 3
// rounds.
Verdict verdict_of(const RatioInterval& interval, std::size_t rounds, double same_within);

// Median of `a` over median of `b` of two runs whose rounds are no pairs: each list is resampled by
// itself. All zero where one is empty.
RatioInterval unpaired_ratio(const std::vector<double>& a, const std::vector<double>& b,
                             const VerdictRule& rule);

// An A/A comparison: one implementation against itself, in every cell.
struct AaControl {
  std::size_t cells = 0;
  std::size_t false_alarms = 0;  // cells whose verdict was FASTER or SLOWER
  double smallest_visible = 0;   // a smaller difference could not be told in every cell
};
AaControl aa_control(const std::vector<RatioInterval>& intervals, std::size_t rounds,
                     double same_within);

}  // namespace tilewright::measure
