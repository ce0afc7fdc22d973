// The oracle and the verdict on one entry, and one case on all rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/ops/gemm_harness.h"

namespace tilewright::tests {
namespace {

// What the checks need to know of an output type.
struct OutputFormat {
  double unit;      // half a unit in the last place, relative
  double floor;     // absolute error that subnormal outputs may have
  double overflow;  // magnitudes from here on round to infinity
};

OutputFormat format_of(DType type) {
  switch (type) {
    case DType::kF16:
      return {0x1p-11, 0x1p-25, 65520.0};
    case DType::kBF16:
      return {0x1p-8, 0x1p-134, 0x1p128 * (1 - 0x1p-9)};
    case DType::kF32:
      return {0x1p-24, 0x1p-140, 0x1p128 * (1 - 0x1p-25)};
    default:
      throw std::runtime_error("no output format " + std::string(name_of(type)));
  }
}

// The error of random data stays far below what is possible; a kernel that loses a few bits shows
// here long before it passes the hard bound.
double alarm_bound(const GemmProblem& problem, const Expected& expected, std::size_t element) {
  const OutputFormat format = format_of(problem.d.type);
  const double k = static_cast<double>(problem.k);
  return format.unit * std::abs(expected.value[element]) +
         8 * std::sqrt(k) * 0x1p-24 * expected.product_magnitude[element] +
         0x1p-22 * expected.added_magnitude[element] + format.floor;
}

bool element_right(const GemmCase& test, const Expected& expected, std::size_t element, float got) {
  const double value = expected.value[element];
  if (std::isnan(value)) return std::isnan(got);
  if (std::isnan(got)) return false;
  const double overflow = format_of(test.problem.d.type).overflow;
  const double bound = hard_bound(test.problem, expected, element);
  if (std::isinf(got)) {
    return std::signbit(got) == std::signbit(value) && std::abs(value) + bound >= overflow;
  }
  if (std::isinf(value)) return false;
  const double error = std::abs(static_cast<double>(got) - value);
  if (error > bound) return false;
  const bool random = !test.a && !test.b && !test.c;
  return !random || error <= alarm_bound(test.problem, expected, element);
}

// A reference that nothing can disagree with checks nothing.
std::string reference_fault(const GemmCase& test, const Expected& expected) {
  const GemmProblem& problem = test.problem;
  const auto elements = static_cast<std::size_t>(problem.m * problem.n);
  if (expected.value.size() != elements) return "the reference lacks elements";
  bool any = elements == 0;
  for (std::size_t i = 0; i < elements; ++i) {
    const double value = expected.value[i];
    const double magnitudes = expected.product_magnitude[i] + expected.added_magnitude[i];
    if (!test.special_values && !(std::isfinite(value) && std::isfinite(magnitudes))) {
      return "the reference is not finite";
    }
    any = any || value != 0;
  }
  const bool random_product = !test.a && !test.b && problem.k > 0 && test.alpha != 0.0f;
  return random_product && !any ? "the reference is all zero" : "";
}

std::string shown(const GemmCase& test, const Expected& expected, std::size_t element, float got) {
  return fmt::format("is {}, should be {} (error {:.3g}, allowed {:.3g})", got,
                     expected.value[element], std::abs(got - expected.value[element]),
                     hard_bound(test.problem, expected, element));
}

}  // namespace

Expected expect_entry(const GemmCase& test, const std::vector<float>& a,
                      const std::vector<float>& b, const std::vector<float>& c) {
  const GemmProblem& p = test.problem;
  const auto m = static_cast<std::size_t>(p.m), n = static_cast<std::size_t>(p.n);
  const double alpha = test.alpha, beta = test.beta;
  const std::size_t k = alpha != 0 ? static_cast<std::size_t>(p.k) : 0;
  Expected e;
  e.value.assign(m * n, 0);
  e.product_magnitude = e.added_magnitude = e.value;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        const double term = static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
        e.value[i * n + j] += term;
        e.product_magnitude[i * n + j] += std::abs(term);
      }
    }
  }
  for (std::size_t i = 0; i < m * n; ++i) {
    const double added = beta != 0 ? beta * static_cast<double>(c[i]) : 0;
    e.value[i] = (k > 0 ? alpha * e.value[i] : 0) + added;
    e.product_magnitude[i] *= std::abs(alpha);
    e.added_magnitude[i] = std::abs(added);
  }
  return e;
}

double hard_bound(const GemmProblem& problem, const Expected& expected, std::size_t element) {
  const OutputFormat format = format_of(problem.d.type);
  return format.unit * std::abs(expected.value[element]) +
         static_cast<double>(problem.k + 4) * 0x1p-23 * expected.product_magnitude[element] +
         0x1p-22 * expected.added_magnitude[element] + format.floor;
}

std::string compare_entry(const GemmCase& test, std::int64_t entry, const Expected& expected,
                          const std::vector<float>& got) {
  if (const std::string fault = reference_fault(test, expected); !fault.empty()) return fault;
  if (got.size() != expected.value.size()) return "D lacks elements";
  const auto n = static_cast<std::size_t>(test.problem.n);
  std::string first;
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool right = element_right(test, expected, i, got[i]);
    std::string text;
    const auto row = static_cast<std::int64_t>(i / n), column = static_cast<std::int64_t>(i % n);
    if (test.exact) {
      const float value = test.exact(entry, row, column);
      right = right && got[i] == value;
      if (!right) text = fmt::format("is {}, should be exactly {}", got[i], value);
    } else if (!right) {
      text = shown(test, expected, i, got[i]);
    }
    if (right) continue;
    if (++wrong == 1) first = fmt::format("D[{}][{}] of entry {} {}", row, column, entry, text);
  }
  if (wrong == 0) return "";
  return fmt::format("{}; {} of {} elements are wrong", first, wrong, got.size());
}

Outcome run_and_check(const GemmCase& test, const DeviceInfo& device, std::string_view kernel) {
  PlanOptions options{.kernel = std::string(kernel), .cpu_threads = test.cpu_threads};
  const Result<GemmPlan> plan = plan_gemm(test.problem, device, options);
  if (!plan.ok()) {
    const Status status = plan.status();
    if (status.code() == StatusCode::kUnsupported && !status.message().empty()) {
      return {false, status.message()};
    }
    return {true, "a valid problem was refused as wrong: " + status.message()};
  }
  if (!kernel.empty() && plan->kernel_name() != kernel) {
    return {true, fmt::format("{} was planned", plan->kernel_name())};
  }
  GemmRun run(test, device);
  const Status status = run.launch(*plan);
  if (!status.ok()) return {true, "run: " + status.message()};
  return {true, run.check()};
}

std::vector<KernelInfo> rows_for(const DeviceInfo& device) {
  std::vector<KernelInfo> rows;
  for (const KernelInfo& row : list_gemm()) {
    const int compute = device.compute_capability();
    const bool in_range =
        row.min_compute_capability <= compute &&
        (row.max_compute_capability == 0 || compute <= row.max_compute_capability);
    if (row.backend == device.backend && (row.backend == Backend::kCpu || in_range)) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::string> expect_right_everywhere(const GemmCase& test, const DeviceInfo& device) {
  std::vector<std::string> names;
  bool must_be_chosen = device.backend == Backend::kCpu;
  for (const KernelInfo& row : rows_for(device)) {
    const Outcome outcome = run_and_check(test, device, row.name);
    if (!outcome.accepted) continue;
    names.emplace_back(row.name);
    must_be_chosen = must_be_chosen || !row.is_reference;
    EXPECT_EQ(outcome.text, "") << row.name << " on " << describe(test);
  }
  EXPECT_FALSE(names.empty()) << "no row takes " << describe(test);
  const Outcome chosen = run_and_check(test, device, "");
  EXPECT_EQ(chosen.accepted, must_be_chosen) << chosen.text << " on " << describe(test);
  EXPECT_EQ(chosen.accepted ? chosen.text : "", "") << "the planner's choice on " << describe(test);
  return names;
}

}  // namespace tilewright::tests
