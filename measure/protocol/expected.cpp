#include "measure/protocol/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "measure/protocol/check.h"
#include "measure/protocol/operands.h"
#include "measure/protocol/threads.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {
namespace {

// Sum of squares of every row (of A) or every column (of B), over k. A line of memory is decoded at
// once; its values belong to one result where memory runs along k, and to one each otherwise.
Result<std::vector<double>> norms(const Operand& operand, const std::vector<std::byte>& bytes,
                                  Shape shape, bool of_rows) {
  const std::int64_t results = of_rows ? shape.rows : shape.columns;
  const std::int64_t k = of_rows ? shape.columns : shape.rows;
  const bool along_k = (operand.order == Order::kRowMajor) == of_rows;
  const std::int64_t matrices = operand.batch_stride == 0 ? 1 : shape.batch;
  std::vector<double> sums(static_cast<std::size_t>(results * matrices), 0.0);
  if (results == 0 || k == 0 || shape.batch == 0) return sums;

  float probe = 0;
  if (Status status = decode(operand.type, bytes.data(), 1, &probe); !status) return status;
  const std::int64_t size = bytes_of(operand.type, 1);
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
    double* out = sums.data() + matrix * results;
    // Threads share out the results, never a result.
    for_ranges(results, 2 * k, [&](std::int64_t first, std::int64_t last) {
      std::vector<float> line(static_cast<std::size_t>(along_k ? k : last - first));
      const std::int64_t lines = along_k ? last - first : k;
      for (std::int64_t i = 0; i < lines; ++i) {
        const std::int64_t at = matrix * operand.batch_stride +
                                (along_k ? (first + i) * operand.ld : i * operand.ld + first);
        (void)decode(operand.type, bytes.data() + at * size, static_cast<std::int64_t>(line.size()),
                     line.data());
        for (std::size_t j = 0; j < line.size(); ++j) {
          const double value = line[j];
          out[along_k ? first + i : first + static_cast<std::int64_t>(j)] += value * value;
        }
      }
    });
    for (std::int64_t i = 0; i < results; ++i) out[i] = std::sqrt(out[i]);
  }
  return sums;
}

std::string flaw_in_values(const Expected& expected) {
  const GemmProblem& p = expected.problem;
  bool all_zero = true, any_magnitude = false;
  std::int64_t at = 0;
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column, ++at) {
        const float value = expected.values[static_cast<std::size_t>(at)];
        if (std::isnan(value)) {
          return fmt::format(
              "the reference {} is NaN at ({}, {}) of matrix {}: nothing can be "
              "checked against it",
              expected.reference, row, column, batch);
        }
        all_zero = all_zero && value == 0;
      }
    }
    any_magnitude = any_magnitude || expected.magnitude(batch, 0, 0) > 0;
  }
  if (all_zero && any_magnitude) {
    return fmt::format(
        "the reference {} is all zero for inputs that are not: nothing can be "
        "checked against it",
        expected.reference);
  }
  return {};
}

// The reference rounded to f32 once must be next to the float64 sample.
std::string flaw_in_sample(const Expected& expected) {
  const GemmProblem& p = expected.problem;
  const Sample& sample = expected.sample;
  std::size_t at = 0;
  for (const std::int64_t batch : sample.batches) {
    for (const std::int64_t row : sample.rows) {
      for (const std::int64_t column : sample.columns) {
        const double exact = sample.values[at];
        const double bound = limits_for(DType::kF32, p.k, exact, sample.magnitudes[at]).bound;
        ++at;
        const float value =
            expected.values[static_cast<std::size_t>((batch * p.m + row) * p.n + column)];
        const bool both_huge = std::fabs(exact) > 3.4028235e38 && std::isinf(value) &&
                               std::signbit(exact) == std::signbit(value);
        if (!both_huge && !(std::fabs(static_cast<double>(value) - exact) <= bound)) {
          return fmt::format(
              "the reference {} gives {} at ({}, {}) of matrix {} where float64 "
              "loops give {}: nothing can be checked against it",
              expected.reference, value, row, column, batch, exact);
        }
      }
    }
  }
  return {};
}

Status add_norms(const HostOperands& operands, Expected& expected) {
  const GemmProblem& p = expected.problem;
  if (operands.alpha == 0) return {};
  Result<std::vector<double>> rows = norms(p.a, operands.a, shape_a(p), true);
  if (!rows) return rows.status();
  Result<std::vector<double>> columns = norms(p.b, operands.b, shape_b(p), false);
  if (!columns) return columns.status();
  expected.row_norms = std::move(*rows);
  expected.column_norms = std::move(*columns);
  for (double& norm : expected.row_norms) norm *= std::fabs(static_cast<double>(operands.alpha));
  return {};
}

Status add_beta_c(const HostOperands& operands, Expected& expected) {
  if (operands.beta == 0) return {};
  const DType type = expected.problem.d.type;
  expected.beta_c.resize(operands.c.size() / static_cast<std::size_t>(bytes_of(type, 1)));
  if (Status status =
          decode(type, operands.c.data(), static_cast<std::int64_t>(expected.beta_c.size()),
                 expected.beta_c.data());
      !status) {
    return status;
  }
  for (float& value : expected.beta_c) value = std::fabs(operands.beta * value);
  return {};
}

}  // namespace

double Expected::magnitude(std::int64_t batch, std::int64_t row, std::int64_t column) const {
  double sum = 0;
  if (!row_norms.empty() && !column_norms.empty()) {
    const std::int64_t a = problem.a.batch_stride == 0 ? 0 : batch;
    const std::int64_t b = problem.b.batch_stride == 0 ? 0 : batch;
    sum = row_norms[static_cast<std::size_t>(a * problem.m + row)] *
          column_norms[static_cast<std::size_t>(b * problem.n + column)];
  }
  if (!beta_c.empty()) {
    sum += beta_c[static_cast<std::size_t>(index_of(problem.c, batch, row, column))];
  }
  return sum;
}

Result<Expected> make_expected(const GemmProblem& problem, const HostOperands& operands,
                               std::string reference, std::vector<float> values) {
  Expected expected;
  expected.problem = problem;
  expected.reference = std::move(reference);
  expected.values = std::move(values);
  if (Status status = add_norms(operands, expected); !status) return status;
  if (Status status = add_beta_c(operands, expected); !status) return status;
  Result<Sample> sample = float64_sample(problem, operands);
  if (!sample) return sample.status();
  expected.sample = std::move(*sample);
  if (!expected.values.empty()) {
    expected.flaw = flaw_in_values(expected);
    if (expected.flaw.empty()) expected.flaw = flaw_in_sample(expected);
  }
  return expected;
}

}  // namespace tilewright::measure
