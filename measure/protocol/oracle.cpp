// The second opinion: a float64 product by plain loops, independent of every kernel of the library.
#include <algorithm>
#include <cmath>

#include "measure/protocol/expected.h"
#include "measure/protocol/fill_value.h"
#include "measure/protocol/operands.h"
#include "measure/protocol/threads.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {
namespace {

// One index out of each of `most` equal parts of [0, count), the first and the last always.
std::vector<std::int64_t> chosen(std::int64_t count, std::int64_t most, std::uint64_t seed) {
  const std::int64_t parts = std::min(count, most);
  std::vector<std::int64_t> indices;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = count * part / parts, last = count * (part + 1) / parts;
    const auto step = static_cast<std::int64_t>(mix(seed + static_cast<std::uint64_t>(part)) >> 1);
    indices.push_back(first + step % (last - first));
  }
  if (parts > 0) {
    indices.front() = 0;
    indices.back() = count - 1;
  }
  return indices;
}

// `length` elements of a row or a column, decoded; `element(i)` gives the index of the i-th.
template <class Element>
Status gather(const Operand& operand, const std::vector<std::byte>& bytes, std::int64_t length,
              Element element, float* out) {
  const std::int64_t size = bytes_of(operand.type, 1);
  for (std::int64_t i = 0; i < length; ++i) {
    const Status status = decode(operand.type, bytes.data() + element(i) * size, 1, out + i);
    if (!status) return status;
  }
  return {};
}

struct Lines {
  std::vector<float> rows, columns;  // of A and of B, one after the other, k values each
};

Result<Lines> gather_lines(const GemmProblem& p, const HostOperands& operands, const Sample& sample,
                           std::int64_t batch) {
  Lines lines;
  lines.rows.resize(sample.rows.size() * static_cast<std::size_t>(p.k));
  lines.columns.resize(sample.columns.size() * static_cast<std::size_t>(p.k));
  float* out = lines.rows.data();
  for (const std::int64_t row : sample.rows) {
    const auto at = [&](std::int64_t k) { return index_of(p.a, batch, row, k); };
    if (Status status = gather(p.a, operands.a, p.k, at, out); !status) return status;
    out += p.k;
  }
  out = lines.columns.data();
  for (const std::int64_t column : sample.columns) {
    const auto at = [&](std::int64_t k) { return index_of(p.b, batch, k, column); };
    if (Status status = gather(p.b, operands.b, p.k, at, out); !status) return status;
    out += p.k;
  }
  return lines;
}

struct Sums {
  double value = 0, magnitude = 0;
};

Sums product(const float* a, const float* b, std::int64_t k) {
  Sums sums;
  for (std::int64_t i = 0; i < k; ++i) {
    const double term = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    sums.value += term;
    sums.magnitude += std::fabs(term);
  }
  return sums;
}

// alpha * A * B of the sampled rows and columns of one matrix, written from `first` on.
void multiply(const Lines& lines, std::int64_t k, double alpha, Sample& sample, std::size_t first) {
  const std::size_t columns = sample.columns.size();
  for_ranges(static_cast<std::int64_t>(sample.rows.size()),
             static_cast<std::int64_t>(columns) * (k + 1),
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t row = begin; row < end; ++row) {
                 for (std::size_t column = 0; column < columns; ++column) {
                   const Sums sums =
                       product(lines.rows.data() + row * k,
                               lines.columns.data() + static_cast<std::int64_t>(column) * k, k);
                   const std::size_t at = first + static_cast<std::size_t>(row) * columns + column;
                   sample.values[at] = alpha * sums.value;
                   sample.magnitudes[at] = std::fabs(alpha) * sums.magnitude;
                 }
               }
             });
}

Status add_beta_c(const GemmProblem& p, const HostOperands& operands, std::int64_t batch,
                  Sample& sample, std::size_t first) {
  Operand c = p.c;
  c.type = p.d.type;
  for (const std::int64_t row : sample.rows) {
    for (const std::int64_t column : sample.columns) {
      float value = 0;
      const auto at = [&](std::int64_t) { return index_of(c, batch, row, column); };
      if (Status status = gather(c, operands.c, 1, at, &value); !status) return status;
      const double term = static_cast<double>(operands.beta) * static_cast<double>(value);
      sample.values[first] += term;
      sample.magnitudes[first] += std::fabs(term);
      ++first;
    }
  }
  return {};
}

}  // namespace

Result<Sample> float64_sample(const GemmProblem& problem, const HostOperands& operands,
                              std::int64_t most) {
  Sample sample;
  sample.batches = chosen(problem.batch, 2, 1);
  sample.rows = chosen(problem.m, most, 2);
  sample.columns = chosen(problem.n, most, 3);
  const std::size_t each = sample.rows.size() * sample.columns.size();
  sample.values.assign(each * sample.batches.size(), 0.0);
  sample.magnitudes = sample.values;
  std::size_t first = 0;
  for (const std::int64_t batch : sample.batches) {
    if (operands.alpha != 0) {
      Result<Lines> lines = gather_lines(problem, operands, sample, batch);
      if (!lines) return lines.status();
      multiply(*lines, problem.k, operands.alpha, sample, first);
    }
    if (operands.beta != 0) {
      if (Status status = add_beta_c(problem, operands, batch, sample, first); !status) {
        return status;
      }
    }
    first += each;
  }
  return sample;
}

}  // namespace tilewright::measure
