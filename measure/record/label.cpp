#include "measure/record/label.h"

#include <fmt/format.h>

namespace tilewright::measure {
namespace {

std::string ld_note(std::string_view name, const Operand& operand, std::int64_t rows,
                    std::int64_t columns) {
  const std::int64_t packed = operand.order == Order::kRowMajor ? columns : rows;
  return operand.ld == packed ? "" : fmt::format(" {}={}", name, operand.ld);
}

}  // namespace

std::string layout_of(const GemmProblem& problem) {
  std::string layout;
  layout += problem.a.order == Order::kRowMajor ? 'n' : 't';
  layout += problem.b.order == Order::kRowMajor ? 'n' : 't';
  if (problem.d.order == Order::kColMajor) layout += "-dcol";
  return layout;
}

std::string label_of(const GemmProblem& problem) {
  const std::int64_t m = problem.m, n = problem.n, k = problem.k;
  std::string label = fmt::format("{}x{}x{} {}", m, n, k, name_of(problem.a.type));
  if (problem.d.type != problem.a.type) label += fmt::format("->{}", name_of(problem.d.type));
  if (const std::string layout = layout_of(problem); layout != "nt") label += " " + layout;
  if (problem.batch != 1) label += fmt::format(" batch {}", problem.batch);
  label += ld_note("lda", problem.a, m, k) + ld_note("ldb", problem.b, k, n) +
           ld_note("ldd", problem.d, m, n);
  return label;
}

}  // namespace tilewright::measure
