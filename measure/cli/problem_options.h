// One problem, or several of one form, from the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/gemm.h"

namespace tilewright::measure::cli {

// All of a problem but its sizes. Leading dimensions that are not given are packed ones.
struct ProblemForm {
  DType inputs = DType::kF16, output = DType::kF16;
  Order a = Order::kRowMajor, b = Order::kColMajor, d = Order::kRowMajor;
  std::optional<std::int64_t> lda, ldb, ldc, ldd;
  int alignment_bytes = 16;
  std::int64_t batch = 1;
};

GemmProblem problem_of(const ProblemForm& form, std::int64_t m, std::int64_t n, std::int64_t k);

// "nt", "nn", "tn", "tt": the orders of A and B as record/label.h spells them.
void set_layout(ProblemForm& form, const std::string& option, const std::string& text);

class ProblemOptions {
 public:
  // Sizes that are 0 are problems too, but there is nothing to time in them.
  enum class Zero { kAccepted, kRefused };

  void add(CLI::App& command);

  bool has_sizes() const { return m_ || n_ || k_; }
  // The problem of --m --n --k, all three of them needed.
  GemmProblem single(DType default_type, Zero zero) const;
  ProblemForm form(DType default_type, Zero zero) const;
  // Wrong usage where an option of the form was given together with `other` ("--suite").
  void refuse_form_with(const std::string& other) const;

 private:
  using Word = std::optional<std::string>;
  Word m_, n_, k_, batch_, dtype_, out_dtype_, layout_, a_order_, b_order_, d_order_, lda_, ldb_,
      ldc_, ldd_, align_;
};

}  // namespace tilewright::measure::cli
