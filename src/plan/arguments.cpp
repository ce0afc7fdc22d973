#include "plan/arguments.h"

#include <fmt/format.h>

#include <cstdint>

#include "plan/footprint.h"

namespace tilewright {
namespace {

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

struct Pointer {
  std::string_view name;
  const void* data;
  const Operand& operand;
  MatrixShape shape;
  std::string_view needed_while;
};

Status check_pointer(const Pointer& p) {
  const Operand& o = p.operand;
  if (p.data == nullptr) {
    return Status::invalid(
        fmt::format("{} is null; the address of {} x {} {} elements at ld {} is needed {}", p.name,
                    p.shape.rows, p.shape.cols, name_of(o.type), o.ld, p.needed_while));
  }
  const std::uintptr_t where = address(p.data);
  if ((where & (static_cast<std::uintptr_t>(o.alignment_bytes) - 1)) == 0) return {};
  const int element_bytes = bits_of(o.type) / 8;
  const std::uintptr_t lowest_bit = where & (~where + 1);
  if (lowest_bit < static_cast<std::uintptr_t>(element_bytes)) {
    return Status::invalid(fmt::format(
        "{} = {:#x} is not a multiple of {} bytes, as no address of {} elements may be; a multiple "
        "of the planned {} bytes is accepted",
        p.name, where, element_bytes, name_of(o.type), o.alignment_bytes));
  }
  return Status::invalid(fmt::format(
      "{} = {:#x} is not a multiple of {} bytes, the planned alignment; pass one that is, or plan "
      "with {}.alignment_bytes = {}",
      p.name, where, o.alignment_bytes, p.name, lowest_bit));
}

// C and D may be columns of one wide buffer: the same lines, other elements of them.
bool interleaved_without_sharing(const GemmProblem& p, const GemmArgs& args) {
  const bool same_lines = p.c.order == p.d.order && p.c.ld == p.d.ld;
  const bool batch_keeps_columns =
      p.batch == 1 || (p.c.batch_stride % p.d.ld == 0 && p.d.batch_stride % p.d.ld == 0);
  if (!same_lines || !batch_keeps_columns) return false;
  const auto element_bytes = static_cast<std::int64_t>(bits_of(p.d.type) / 8);
  const auto apart = static_cast<std::int64_t>(address(args.d) - address(args.c)) / element_bytes;
  const std::int64_t column = (apart % p.d.ld + p.d.ld) % p.d.ld;
  const std::int64_t line = footprint(p.d.order, shape_of_d(p)).line;
  return column >= line && column + line <= p.d.ld;
}

Status check_c_against_d(const GemmProblem& p, const GemmArgs& args) {
  const MatrixShape shape = shape_of_d(p);
  if (args.c == args.d) {
    const bool same_layout = p.c.order == p.d.order && p.c.ld == p.d.ld &&
                             (p.batch == 1 || p.c.batch_stride == p.d.batch_stride);
    if (same_layout) return {};
    return Status::invalid(
        fmt::format("c = d = {:#x}, but C has order {}, ld {}, batch stride {} and D has order {}, "
                    "ld {}, batch "
                    "stride {}; C may be D only with all three equal",
                    address(args.d), static_cast<int>(p.c.order), p.c.ld, p.c.batch_stride,
                    static_cast<int>(p.d.order), p.d.ld, p.d.batch_stride));
  }
  const std::uintptr_t c_begin = address(args.c), d_begin = address(args.d);
  const auto c_bytes = static_cast<std::uintptr_t>(span_bytes(p.c, shape, p.batch));
  const auto d_bytes = static_cast<std::uintptr_t>(span_bytes(p.d, shape, p.batch));
  const bool apart =
      c_begin < d_begin ? d_begin - c_begin >= c_bytes : c_begin - d_begin >= d_bytes;
  if (apart || interleaved_without_sharing(p, args)) return {};
  return Status::invalid(fmt::format(
      "c = {:#x} of {} bytes overlaps d = {:#x} of {} bytes; D itself, or memory apart from D, is "
      "accepted",
      c_begin, c_bytes, d_begin, d_bytes));
}

// Other ways to overlap D are the caller's to avoid: strided views of one buffer may interleave
// without sharing an element. Equal addresses always share one.
Status check_not_in_place(std::string_view name, const void* input, const void* d) {
  if (input != d) return {};
  return Status::invalid(
      fmt::format("{} = d = {:#x}, but the product cannot be computed in place; memory apart from "
                  "D is accepted",
                  name, address(d)));
}

}  // namespace

Status check_arguments(const GemmProblem& p, const Status& c_layout, const GemmArgs& args) {
  Status status = check_pointer({"d", args.d, p.d, shape_of_d(p), "always"});
  if (!status.ok()) return status;
  if (args.alpha != 0.0f && p.k > 0) {
    constexpr std::string_view kNeeded = "while alpha and K are not 0";
    status = check_pointer({"a", args.a, p.a, shape_of_a(p), kNeeded});
    if (!status.ok()) return status;
    status = check_pointer({"b", args.b, p.b, shape_of_b(p), kNeeded});
    if (!status.ok()) return status;
    status = check_not_in_place("a", args.a, args.d);
    if (!status.ok()) return status;
    status = check_not_in_place("b", args.b, args.d);
    if (!status.ok()) return status;
  }
  if (args.beta != 0.0f) {
    if (!c_layout.ok()) return c_layout;
    status = check_pointer({"c", args.c, p.c, shape_of_d(p), "while beta is not 0"});
    if (!status.ok()) return status;
    return check_c_against_d(p, args);
  }
  return {};
}

Status check_workspace(std::string_view kernel, std::size_t needed_bytes, Workspace workspace) {
  if (needed_bytes == 0) return {};
  if (workspace.bytes < needed_bytes) {
    return Status::invalid(
        fmt::format("workspace.bytes = {} is too small for {}; {} or more is accepted",
                    workspace.bytes, kernel, needed_bytes));
  }
  if (workspace.data == nullptr) {
    return Status::invalid(fmt::format("workspace.data is null; {} needs the address of {} bytes",
                                       kernel, needed_bytes));
  }
  return {};
}

}  // namespace tilewright
