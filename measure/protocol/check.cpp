#include "measure/protocol/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "measure/protocol/operands.h"
#include "measure/protocol/threads.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {
namespace {

struct OutputFormat {
  double half_ulp;       // largest relative rounding error of a normal value
  double half_smallest;  // half of the smallest subnormal: the absolute floor
  double overflow;       // values from here on round to infinity
};

OutputFormat format_of(DType type) {
  switch (type) {
    case DType::kF16:
      return {0x1p-11, 0x1p-25, 65520.0};
    case DType::kBF16:
      return {0x1p-8, 0x1p-134, 0x1.ffp127};
    default:
      return {0x1p-24, 0x1p-150, 0x1.ffffffp127};
  }
}

bool is_poison(const std::byte* element, std::int64_t size) {
  return std::all_of(element, element + size, [](std::byte b) { return b == std::byte{0xff}; });
}

// What was found in some of the elements; parts of an output are judged on their own and joined.
struct Findings {
  std::int64_t elements = 0, wrong = 0, alarms = 0;
  double error_squares = 0, reference_squares = 0, max_error = 0, max_ratio = 0;
  std::int64_t first = INT64_MAX;  // wrong element, in the order of rows
  std::string first_failure;

  void fail(std::int64_t order, std::string failure) {
    ++wrong;
    if (order >= first) return;
    first = order;
    first_failure = std::move(failure);
  }
  void join(const Findings& other) {
    elements += other.elements;
    wrong += other.wrong;
    alarms += other.alarms;
    error_squares += other.error_squares;
    reference_squares += other.reference_squares;
    max_error = std::max(max_error, other.max_error);
    max_ratio = std::max(max_ratio, other.max_ratio);
    if (other.first < first) {
      first = other.first;
      first_failure = other.first_failure;
    }
  }
};

struct Place {
  std::int64_t batch, row, column;
};

// Judges elements of one output.
class Judge {
 public:
  Judge(const Expected& expected, const std::byte* d)
      : p_(expected.problem), size_(bytes_of(p_.d.type, 1)), format_(format_of(p_.d.type)), d_(d) {}

  // `value` is the element, decoded. Says in `findings` what is wrong with it.
  void element(const Place& at, float value, double reference, double magnitude,
               Findings& findings) const {
    ++findings.elements;
    const Limits limits = limits_for(p_.d.type, p_.k, reference, magnitude);
    const double error = std::fabs(static_cast<double>(value) - reference);
    if (std::isfinite(error)) {
      findings.error_squares += error * error;
      findings.reference_squares += reference * reference;
      findings.max_error = std::max(findings.max_error, error);
      if (limits.bound > 0) {
        findings.max_ratio = std::max(findings.max_ratio, error / limits.bound);
      }
      if (error > limits.alarm) ++findings.alarms;
      const bool may_be_finite = std::fabs(reference) - limits.accumulation < format_.overflow;
      if (error <= limits.bound && may_be_finite) return;
    } else if (right_infinity(value, reference, limits)) {
      return;
    }
    findings.fail((at.batch * p_.m + at.row) * p_.n + at.column,
                  describe(at, value, reference, error, limits));
  }

 private:
  // An infinity is right where the reference, or what is within its accumulation error, overflows.
  bool right_infinity(float value, double reference, const Limits& limits) const {
    return std::isinf(value) && std::signbit(value) == std::signbit(reference) &&
           std::fabs(reference) + limits.accumulation >= format_.overflow;
  }

  std::string describe(const Place& at, float value, double reference, double error,
                       const Limits& limits) const {
    std::string place =
        p_.batch > 1 ? fmt::format("element ({}, {}) of matrix {}", at.row, at.column, at.batch)
                     : fmt::format("element ({}, {})", at.row, at.column);
    const std::byte* bytes = d_ + index_of(p_.d, at.batch, at.row, at.column) * size_;
    if (is_poison(bytes, size_)) return place + " was not written";
    if (!std::isfinite(error)) {
      return fmt::format("{} is {} where {} is expected", place, value, reference);
    }
    return fmt::format("{} is {} where {} is expected: off by {:.3g}, {:.3g} is accepted", place,
                       value, reference, error, limits.bound);
  }

  const GemmProblem& p_;
  std::int64_t size_;
  OutputFormat format_;
  const std::byte* d_;
};

// Every element against the reference, line of memory by line of memory.
Findings compare_all(const Expected& expected, const std::byte* d) {
  const GemmProblem& p = expected.problem;
  const bool by_rows = p.d.order == Order::kRowMajor;
  const std::int64_t lines = by_rows ? p.m : p.n, length = by_rows ? p.n : p.m;
  const std::int64_t size = bytes_of(p.d.type, 1);
  const Judge judge(expected, d);
  Findings all;
  std::mutex joining;
  for_ranges(p.batch * lines, 16 * length, [&](std::int64_t first, std::int64_t last) {
    Findings mine;
    std::vector<float> values(static_cast<std::size_t>(length));
    for (std::int64_t line = first; line < last; ++line) {
      const std::int64_t batch = line / lines, major = line % lines;
      const std::int64_t start = batch * p.d.batch_stride + major * p.d.ld;
      (void)decode(p.d.type, d + start * size, length, values.data());
      for (std::int64_t minor = 0; minor < length; ++minor) {
        const Place at{batch, by_rows ? major : minor, by_rows ? minor : major};
        const auto index = static_cast<std::size_t>((batch * p.m + at.row) * p.n + at.column);
        judge.element(at, values[static_cast<std::size_t>(minor)], expected.values[index],
                      expected.magnitude(batch, at.row, at.column), mine);
      }
    }
    const std::lock_guard lock(joining);
    all.join(mine);
  });
  return all;
}

// The sampled elements against the float64 product.
Findings compare_sample(const Expected& expected, const std::byte* d) {
  const GemmProblem& p = expected.problem;
  const Sample& sample = expected.sample;
  const std::int64_t size = bytes_of(p.d.type, 1);
  const Judge judge(expected, d);
  Findings findings;
  std::size_t index = 0;
  for (const std::int64_t batch : sample.batches) {
    for (const std::int64_t row : sample.rows) {
      for (const std::int64_t column : sample.columns) {
        float value = 0;
        (void)decode(p.d.type, d + index_of(p.d, batch, row, column) * size, 1, &value);
        judge.element({batch, row, column}, value, sample.values[index], sample.magnitudes[index],
                      findings);
        ++index;
      }
    }
  }
  return findings;
}

// The first element that nothing wrote, where the full output is not compared.
std::string unwritten_element(const Expected& expected, const std::byte* d) {
  const GemmProblem& p = expected.problem;
  const std::int64_t size = bytes_of(p.d.type, 1);
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        if (is_poison(d + index_of(p.d, batch, row, column) * size, size)) {
          return fmt::format("element ({}, {}) of matrix {} was not written", row, column, batch);
        }
      }
    }
  }
  return {};
}

// Offset in the image of the first byte outside the elements that lost its poison.
std::optional<std::int64_t> touched_outside(const GemmProblem& p,
                                            const std::vector<std::byte>& image,
                                            std::int64_t guard_bytes) {
  const bool by_rows = p.d.order == Order::kRowMajor;
  const std::int64_t lines = by_rows ? p.m : p.n, length = by_rows ? p.n : p.m;
  std::vector<std::int64_t> starts;  // of the lines, in elements; batches may be interleaved
  if (length > 0) {
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
      for (std::int64_t line = 0; line < lines; ++line) {
        starts.push_back(batch * p.d.batch_stride + line * p.d.ld);
      }
    }
  }
  std::sort(starts.begin(), starts.end());
  const auto find = [&](std::int64_t first, std::int64_t last) -> std::optional<std::int64_t> {
    const auto end = image.begin() + last;
    const auto found = std::find_if(image.begin() + first, std::max(image.begin() + first, end),
                                    [](std::byte b) { return b != std::byte{0xff}; });
    if (found >= end) return std::nullopt;
    return found - image.begin();
  };
  std::int64_t gap = 0;
  for (const std::int64_t start : starts) {
    const std::int64_t at = guard_bytes + bytes_of(p.d.type, start);
    if (const auto found = find(gap, at)) return found;
    gap = at + bytes_of(p.d.type, length);
  }
  return find(gap, static_cast<std::int64_t>(image.size()));
}

CheckRecord record_of(const Expected& expected, const Findings& findings) {
  CheckRecord record;
  record.elements = findings.elements;
  record.reference = expected.values.empty() ? "float64-sample" : expected.reference;
  const double error = std::sqrt(findings.error_squares);
  record.relative_l2 =
      findings.reference_squares > 0 ? error / std::sqrt(findings.reference_squares) : error;
  record.max_error = findings.max_error;
  record.max_error_over_bound = findings.max_ratio;
  record.alarms = findings.alarms;
  if (findings.wrong > 0) {
    record.failure = findings.first_failure;
    if (findings.wrong > 1) {
      record.failure += fmt::format("; {} of the {} elements compared are wrong", findings.wrong,
                                    findings.elements);
    }
  } else if (findings.alarms > 1 + findings.elements / 1000) {
    // The bound grows with k and would let a product pass that lacks its last terms; rounding alone
    // hardly ever reaches the alarm.
    record.failure = fmt::format(
        "{} of {} elements are further from the reference than rounding explains (relative L2 "
        "{:.1e})",
        findings.alarms, findings.elements, record.relative_l2);
  }
  return record;
}

}  // namespace

Limits limits_for(DType output, std::int64_t k, double reference, double magnitude) {
  const OutputFormat format = format_of(output);
  const auto terms = static_cast<double>(k);
  Limits limits;
  limits.accumulation = (terms + 4) * 0x1p-23 * magnitude;
  const double rounding = format.half_ulp * std::fabs(reference) + format.half_smallest;
  // What was accumulated is rounded, not the reference: hence the factor.
  limits.bound = rounding + (1 + format.half_ulp) * limits.accumulation;
  limits.alarm = rounding + 8 * std::sqrt(terms) * 0x1p-24 * magnitude;
  return limits;
}

CheckRecord check_output(const Expected& expected, const std::vector<std::byte>& image,
                         std::int64_t guard_bytes) {
  CheckRecord record;
  if (!expected.flaw.empty()) {
    record.reference = expected.reference;
    record.failure = expected.flaw;
    return record;
  }
  const std::byte* d = image.data() + guard_bytes;
  const Findings sampled = compare_sample(expected, d);
  if (expected.values.empty()) {
    record = record_of(expected, sampled);
    if (record.failure.empty()) record.failure = unwritten_element(expected, d);
  } else {
    record = record_of(expected, compare_all(expected, d));
    const std::string sample_failure = record_of(expected, sampled).failure;
    if (record.failure.empty() && !sample_failure.empty()) {
      record.failure = "against the float64 product, " + sample_failure;
    }
  }
  if (record.failure.empty()) {
    if (const auto at = touched_outside(expected.problem, image, guard_bytes)) {
      record.failure = fmt::format(
          "wrote outside of D: the byte {} bytes after D's first was poison and is not now",
          *at - guard_bytes);
    }
  }
  record.passed = record.failure.empty();
  return record;
}

}  // namespace tilewright::measure
