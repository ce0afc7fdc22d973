#include "measure/cli/problem_options.h"

#include <fmt/format.h>

#include <array>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {
namespace {

struct Extent {
  std::int64_t rows, columns;
};

Operand operand_of(DType type, Order order, Extent extent, std::optional<std::int64_t> ld) {
  Operand operand{.type = type, .order = order};
  const std::int64_t packed = order == Order::kRowMajor ? extent.columns : extent.rows;
  operand.ld = ld.value_or(std::max<std::int64_t>(packed, 1));
  return operand;
}

// Each matrix of the batch behind the one before. A product past 64 bits gives a stride that the
// library refuses, so it is left out here.
void stack(Operand& operand, Extent extent) {
  const std::int64_t lines = operand.order == Order::kRowMajor ? extent.rows : extent.columns;
  std::int64_t stride = 0;
  if (!__builtin_mul_overflow(lines, operand.ld, &stride)) operand.batch_stride = stride;
}

}  // namespace

GemmProblem problem_of(const ProblemForm& form, std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = form.batch;
  problem.a = operand_of(form.inputs, form.a, {m, k}, form.lda);
  problem.b = operand_of(form.inputs, form.b, {k, n}, form.ldb);
  problem.d = operand_of(form.output, form.d, {m, n}, form.ldd);
  problem.c = operand_of(form.output, form.d, {m, n}, form.ldc ? form.ldc : form.ldd);
  if (form.batch > 1) {
    stack(problem.a, {m, k});
    stack(problem.b, {k, n});
    stack(problem.c, {m, n});
    stack(problem.d, {m, n});
  }
  for (Operand* operand : {&problem.a, &problem.b, &problem.c, &problem.d}) {
    operand->alignment_bytes = form.alignment_bytes;
  }
  return problem;
}

void set_layout(ProblemForm& form, const std::string& option, const std::string& text) {
  const auto letter = [](char c) { return c == 'n' || c == 't'; };
  if (text.size() != 2 || !letter(text[0]) || !letter(text[1])) {
    wrong_usage(fmt::format(
        "{}: '{}' is not accepted; give nt (B stored [N,K]), nn (B stored [K,N]), tn or tt", option,
        text));
  }
  form.a = text[0] == 'n' ? Order::kRowMajor : Order::kColMajor;
  form.b = text[1] == 'n' ? Order::kRowMajor : Order::kColMajor;
}

void ProblemOptions::add(CLI::App& command) {
  const auto option = [&](const char* name, Word& word, const char* type, const char* help) {
    return command.add_option(name, word, help)->type_name(type)->group("Problem");
  };
  option("--m", m_, "N", "rows of A and D");
  option("--n", n_, "N", "columns of B and D");
  option("--k", k_, "N", "columns of A, rows of B");
  option("--batch", batch_, "N", "products in one call (1)");
  option("--dtype", dtype_, "TYPE",
         "type of A and B: f32, f16, bf16 (f16 on the GPU, f32 on the CPU)");
  option("--out-dtype", out_dtype_, "TYPE", "type of C and D (that of A and B)");
  auto* layout = option("--layout", layout_, "nt|nn|tn|tt",
                        "orders of A and B: nt is B stored [N,K], nn is B stored [K,N] (nt)");
  option("--a-order", a_order_, "row|col", "order of A (row)")->excludes(layout);
  option("--b-order", b_order_, "row|col", "order of B (col, that is stored [N,K])")
      ->excludes(layout);
  option("--d-order", d_order_, "row|col", "order of C and D (row)");
  option("--lda", lda_, "N", "leading dimension of A in elements (packed)");
  option("--ldb", ldb_, "N", "leading dimension of B in elements (packed)");
  option("--ldc", ldc_, "N", "leading dimension of C in elements (that of D)");
  option("--ldd", ldd_, "N", "leading dimension of D in elements (packed)");
  option("--align", align_, "BYTES", "what every pointer is a multiple of (16)");
}

GemmProblem ProblemOptions::single(DType default_type, Zero zero) const {
  if (!m_ || !n_ || !k_) {
    wrong_usage(fmt::format("--m, --n and --k belong together; --{} is not given", !m_   ? "m"
                                                                                   : !n_ ? "n"
                                                                                         : "k"));
  }
  const Bounds bounds{zero == Zero::kAccepted ? 0 : 1, kLargestSize};
  return problem_of(form(default_type, zero), parse_integer("--m", *m_, bounds),
                    parse_integer("--n", *n_, bounds), parse_integer("--k", *k_, bounds));
}

ProblemForm ProblemOptions::form(DType default_type, Zero zero) const {
  ProblemForm form;
  form.inputs = dtype_ ? parse_gemm_type("--dtype", *dtype_) : default_type;
  form.output = out_dtype_ ? parse_gemm_type("--out-dtype", *out_dtype_) : form.inputs;
  if (layout_) set_layout(form, "--layout", *layout_);
  if (a_order_) form.a = parse_order("--a-order", *a_order_);
  if (b_order_) form.b = parse_order("--b-order", *b_order_);
  if (d_order_) form.d = parse_order("--d-order", *d_order_);
  const auto ld = [](const char* name, const Word& word, std::optional<std::int64_t>& out) {
    if (word) out = parse_integer(name, *word, {1, kLargestSize});
  };
  ld("--lda", lda_, form.lda);
  ld("--ldb", ldb_, form.ldb);
  ld("--ldc", ldc_, form.ldc);
  ld("--ldd", ldd_, form.ldd);
  if (align_) form.alignment_bytes = static_cast<int>(parse_integer("--align", *align_, {1, 4096}));
  if (batch_) {
    form.batch = parse_integer("--batch", *batch_, {zero == Zero::kAccepted ? 0 : 1, kLargestSize});
  }
  return form;
}

void ProblemOptions::refuse_form_with(const std::string& other) const {
  const std::array<std::pair<const char*, const Word*>, 12> words = {{{"--batch", &batch_},
                                                                      {"--dtype", &dtype_},
                                                                      {"--out-dtype", &out_dtype_},
                                                                      {"--layout", &layout_},
                                                                      {"--a-order", &a_order_},
                                                                      {"--b-order", &b_order_},
                                                                      {"--d-order", &d_order_},
                                                                      {"--lda", &lda_},
                                                                      {"--ldb", &ldb_},
                                                                      {"--ldc", &ldc_},
                                                                      {"--ldd", &ldd_},
                                                                      {"--align", &align_}}};
  for (const auto& [name, word] : words) {
    if (*word) {
      wrong_usage(fmt::format("{} and {} exclude each other: the suite names its own problems",
                              name, other));
    }
  }
}

}  // namespace tilewright::measure::cli
