#include "plan/validate.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "plan/footprint.h"

namespace tilewright {
namespace {

struct Checked {
  std::string_view name;  // as the caller writes it: "a"
  const Operand& operand;
  MatrixShape shape;
  std::int64_t batch;
};

std::string_view order_name(Order order) {
  return order == Order::kRowMajor ? "row-major" : "column-major";
}

std::string matrix_of(const Checked& c) {
  return fmt::format("{} x {}, {}", c.shape.rows, c.shape.cols, order_name(c.operand.order));
}

bool is_gemm_type(DType type) {
  return type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

Status check_type(std::string_view name, DType type) {
  if (is_gemm_type(type)) return {};
  const std::string shown =
      name_of(type) == "?" ? fmt::format("{}", static_cast<int>(type)) : std::string(name_of(type));
  return Status::invalid(fmt::format(
      "{}.type = {} is not an operand type of GEMM; f32, f16 and bf16 are accepted", name, shown));
}

Status check_order_and_alignment(const Checked& c) {
  const Operand& o = c.operand;
  if (o.order != Order::kRowMajor && o.order != Order::kColMajor) {
    return Status::invalid(
        fmt::format("{}.order = {} is not known; row-major (0) and column-major (1) are accepted",
                    c.name, static_cast<int>(o.order)));
  }
  const int element_bytes = bits_of(o.type) / 8;
  const bool power_of_two =
      o.alignment_bytes > 0 && (o.alignment_bytes & (o.alignment_bytes - 1)) == 0;
  if (!power_of_two || o.alignment_bytes < element_bytes) {
    return Status::invalid(fmt::format(
        "{}.alignment_bytes = {} is refused; a power of two of at least {}, the bytes of one {} "
        "element, is accepted",
        c.name, o.alignment_bytes, element_bytes, name_of(o.type)));
  }
  return {};
}

// True when lines * ld + batch * stride elements have an offset in bytes that 64 bits can hold.
// One line and one matrix more than are touched, so that a kernel may step past the last.
bool offsets_fit(const Checked& c) {
  const Operand& o = c.operand;
  const std::int64_t strides = c.batch > 1 ? c.batch : 0;
  std::int64_t lines = 0, batches = 0, elements = 0, bytes = 0;
  return !__builtin_mul_overflow(footprint(o.order, c.shape).lines, o.ld, &lines) &&
         !__builtin_mul_overflow(strides, o.batch_stride, &batches) &&
         !__builtin_add_overflow(lines, batches, &elements) &&
         !__builtin_mul_overflow(elements, std::int64_t{bits_of(o.type) / 8}, &bytes);
}

Status check_layout(const Checked& c) {
  const Operand& o = c.operand;
  if (o.batch_stride < 0) {
    return Status::invalid(fmt::format("{}.batch_stride = {} is negative; 0 or more is accepted",
                                       c.name, o.batch_stride));
  }
  const Footprint f = footprint(o.order, c.shape);
  if (f.lines == 0 || f.line == 0) return {};  // an empty matrix has no layout
  if (o.ld < f.line) {
    return Status::invalid(fmt::format(
        "{}.ld = {} is too small for a {} of {} elements ({}); {} or more is accepted", c.name,
        o.ld, o.order == Order::kRowMajor ? "row" : "column", f.line, matrix_of(c), f.line));
  }
  if (!offsets_fit(c)) {
    return Status::invalid(fmt::format(
        "{} is too large: {} lines at {}.ld = {} and a batch of {} at {}.batch_stride = {}, {} "
        "bytes an element; offsets up to 2^63 - 1 bytes are accepted",
        c.name, f.lines, c.name, o.ld, c.batch, c.name, o.batch_stride, bits_of(o.type) / 8));
  }
  return {};
}

// Accepts one matrix behind the other, and matrices side by side within the same lines. Written
// without products that could overflow: check_layout() has bounded batch * stride.
Status check_batches_apart(const Checked& c) {
  const Operand& o = c.operand;
  const Footprint f = footprint(o.order, c.shape);
  if (c.batch <= 1 || f.lines == 0 || f.line == 0) return {};
  const std::int64_t span = span_elements(o, c.shape);
  const bool behind = o.batch_stride >= span;
  const bool beside = o.batch_stride >= f.line && (c.batch - 1) * o.batch_stride + f.line <= o.ld;
  if (behind || beside) return {};
  return Status::invalid(fmt::format(
      "{}.batch_stride = {} lets the {} matrices of the batch ({}, ld {}) overlap; {} or more is "
      "accepted, or {} or more where all of them lie side by side within ld",
      c.name, o.batch_stride, c.batch, matrix_of(c), o.ld, span, f.line));
}

Status first_error(std::initializer_list<Status> checks) {
  for (const Status& status : checks) {
    if (!status.ok()) return status;
  }
  return {};
}

Status check_size(std::string_view name, std::int64_t value) {
  if (value >= 0) return {};
  return Status::invalid(fmt::format("{} = {} is negative; 0 or more is accepted", name, value));
}

Status check_c_type(const GemmProblem& p) {
  if (p.c.type == p.d.type) return {};
  return Status::invalid(fmt::format("c.type = {} differs from d.type = {}; C has D's type",
                                     name_of(p.c.type), name_of(p.d.type)));
}

}  // namespace

Status validate(const GemmProblem& p) {
  // In order of dependence: layouts mean nothing before sizes and types are known to be sane.
  Status status = first_error({check_size("m", p.m), check_size("n", p.n), check_size("k", p.k),
                               check_size("batch", p.batch)});
  if (!status.ok()) return status;
  status = first_error({check_type("a", p.a.type), check_type("b", p.b.type),
                        check_type("d", p.d.type), check_type("c", p.c.type), check_c_type(p)});
  if (!status.ok()) return status;

  for (const Checked& c :
       {Checked{"a", p.a, shape_of_a(p), p.batch}, Checked{"b", p.b, shape_of_b(p), p.batch},
        Checked{"d", p.d, shape_of_d(p), p.batch}}) {
    status = check_order_and_alignment(c);
    if (!status.ok()) return status;
    status = check_layout(c);
    if (!status.ok()) return status;
  }
  return check_batches_apart({"d", p.d, shape_of_d(p), p.batch});
}

Status validate_c(const GemmProblem& p) {
  const Checked c{"c", p.c, shape_of_d(p), p.batch};
  Status status = check_order_and_alignment(c);
  return status.ok() ? check_layout(c) : status;
}

}  // namespace tilewright
