// What the output of a GEMM must be, from two sources that share no code: the library's reference
// kernel for every element, and plain float64 loops (oracle.cpp) for a sample of rows and columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/gemm.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// Operands in host memory, each its whole span.
struct HostOperands {
  std::vector<std::byte> a, b, c;  // c empty where beta is 0
  float alpha = 1, beta = 0;
};

// A grid of rows and columns in the first and the last matrix of the batch.
struct Sample {
  std::vector<std::int64_t> batches, rows, columns;
  std::vector<double> values;      // batches x rows x columns
  std::vector<double> magnitudes;  // sum of |alpha a b|, and |beta c|
};

struct Expected {
  GemmProblem problem;
  std::string reference;      // kernel id of the reference
  std::vector<float> values;  // batch x m x n, row-major; empty when only the sample is compared
  // Largest possible sum of |alpha a b| of element (r, c), by Cauchy-Schwarz: the product of the
  // two norms; one list for every matrix of the batch, or one for all where they share it.
  std::vector<double> row_norms, column_norms;
  std::vector<float> beta_c;  // |beta c| in the span of C; empty where beta is 0
  Sample sample;
  // Why nothing can be checked against this, a sentence; empty when it can: NaN in the reference,
  // all zero, or reference and oracle do not agree.
  std::string flaw;

  double magnitude(std::int64_t batch, std::int64_t row, std::int64_t column) const;
};

// `values` as in Expected; pass none where the reference was too slow to run.
Result<Expected> make_expected(const GemmProblem& problem, const HostOperands& operands,
                               std::string reference, std::vector<float> values);

// Fills `sample` for at most `most` rows and as many columns, edges always among them.
// oracle.cpp: plain loops over values decoded by tilewright/codecs.h.
Result<Sample> float64_sample(const GemmProblem& problem, const HostOperands& operands,
                              std::int64_t most = 128);

}  // namespace tilewright::measure
