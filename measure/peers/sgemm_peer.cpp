#include "measure/peers/sgemm_peer.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::measure {
namespace {

struct Strides {
  std::int64_t row, column;
};

Strides strides_of(const Operand& operand) {
  return operand.order == Order::kRowMajor ? Strides{operand.ld, 1} : Strides{1, operand.ld};
}

// sgemm adds to its output in place, so a C apart from D is copied to D first. The copy is work
// that this peer needs and is timed with it.
void copy_c_to_d(const GemmProblem& problem, const float* c, float* d) {
  const Strides from = strides_of(problem.c), to = strides_of(problem.d);
  const bool rows_outside = problem.d.order == Order::kRowMajor;
  const std::int64_t outer = rows_outside ? problem.m : problem.n;
  const std::int64_t inner = rows_outside ? problem.n : problem.m;
  const std::int64_t from_outer = rows_outside ? from.row : from.column;
  const std::int64_t from_inner = rows_outside ? from.column : from.row;
  const std::int64_t to_outer = rows_outside ? to.row : to.column;
  for (std::int64_t i = 0; i < outer; ++i) {
    const float* source = c + i * from_outer;
    float* target = d + i * to_outer;
    for (std::int64_t j = 0; j < inner; ++j) target[j] = source[j * from_inner];
  }
}

}  // namespace

SgemmShape sgemm_shape(const GemmProblem& problem) {
  const bool exchange = problem.d.order == Order::kColMajor;
  const Operand& left = exchange ? problem.b : problem.a;
  const Operand& right = exchange ? problem.a : problem.b;
  // Exchanged, an operand that lies column-major is its transpose in row-major order, which is what
  // the call wants as it is.
  const Order as_it_is = exchange ? Order::kColMajor : Order::kRowMajor;
  return {.left_is_b = exchange,
          .transpose_left = left.order != as_it_is,
          .transpose_right = right.order != as_it_is,
          .m = exchange ? problem.n : problem.m,
          .n = exchange ? problem.m : problem.n,
          .k = problem.k,
          .ld_left = std::max<std::int64_t>(1, left.ld),
          .ld_right = std::max<std::int64_t>(1, right.ld),
          .ld_out = std::max<std::int64_t>(1, problem.d.ld)};
}

Status check_sgemm(std::string_view id, const GemmProblem& problem, const DeviceInfo& device) {
  if (device.backend != Backend::kCpu) {
    return Status::unsupported(
        fmt::format("{} runs on the cpu only, the device here is {}", id, name_of(device.backend)));
  }
  for (const DType type : {problem.a.type, problem.b.type, problem.d.type}) {
    if (type != DType::kF32) {
      return Status::unsupported(fmt::format("{} takes f32 only here, not {}", id, name_of(type)));
    }
  }
  return {};
}

Status PreparedSgemm::run(const GemmArgs& args, Stream) {
  const auto* a = static_cast<const float*>(args.a);
  const auto* b = static_cast<const float*>(args.b);
  const auto* c = static_cast<const float*>(args.c);
  auto* d = static_cast<float*>(args.d);
  if (args.beta != 0 && c == nullptr) {
    return Status::invalid(fmt::format("c is null where beta is {}; give C or beta 0", args.beta));
  }
  for (std::int64_t i = 0; i < problem_.batch; ++i) {
    const float* a_i = a + i * problem_.a.batch_stride;
    const float* b_i = b + i * problem_.b.batch_stride;
    float* d_i = d + i * problem_.d.batch_stride;
    if (args.beta != 0 && c != d) copy_c_to_d(problem_, c + i * problem_.c.batch_stride, d_i);
    Status status = multiply(shape_, {.left = shape_.left_is_b ? b_i : a_i,
                                      .right = shape_.left_is_b ? a_i : b_i,
                                      .out = d_i,
                                      .alpha = args.alpha,
                                      .beta = args.beta});
    if (!status) return status;
  }
  return {};
}

}  // namespace tilewright::measure
