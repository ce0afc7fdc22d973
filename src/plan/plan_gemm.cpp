#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "plan/arguments.h"
#include "plan/gemm_registry.h"
#include "plan/select.h"
#include "plan/simulate.h"
#include "plan/validate.h"
#include "tilewright/gemm.h"

namespace tilewright {

struct GemmPlan::State {
  const GemmRow* row;
  GemmProblem problem;
  Status c_layout;  // looked at by runs with beta != 0 alone
  DeviceInfo device;
  std::size_t workspace_bytes;
  int cpu_threads;
};

namespace {

// No exception crosses the library. What can throw here is an allocation, or a thread that the
// system refuses; a message short enough to need no allocation itself.
template <class Body>
auto without_exceptions(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kDeviceError, "out of memory");
  } catch (const std::exception& error) {
    return Status(StatusCode::kDeviceError, error.what());
  }
}

Result<GemmPlan> make_plan(const GemmProblem& problem, const DeviceInfo& device,
                           const PlanOptions& options) {
  if (Status status = validate(problem); !status.ok()) return status;
  if (options.cpu_threads < 0) {
    return Status::invalid(
        fmt::format("cpu_threads = {} is negative; 0 (as many as the device has usable cores) or "
                    "more is accepted",
                    options.cpu_threads));
  }
  const Result<const GemmRow*> row =
      select_gemm(gemm_rows(), kGemmPresets, problem, device, options.kernel);
  if (!row.ok()) return row.status();
  if (device.backend == Backend::kSim) {
    if (Status status = check_simulation(**row, problem, device); !status.ok()) return status;
  }
  const int threads = options.cpu_threads > 0 ? options.cpu_threads : device.cpu.cores;
  return GemmPlan(std::make_shared<const GemmPlan::State>(
      GemmPlan::State{.row = *row,
                      .problem = problem,
                      .c_layout = validate_c(problem),
                      .device = device,
                      .workspace_bytes = (*row)->workspace(problem, device),
                      .cpu_threads = std::max(1, threads)}));
}

// The product wraps neither into undefined behaviour nor into a stride that looks right: what does
// not fit becomes the largest number, and validation refuses the sizes that led to it.
std::int64_t packed_stride(std::int64_t rows, std::int64_t cols) {
  std::int64_t elements = 0;
  const bool fits = !__builtin_mul_overflow(rows, cols, &elements);
  return fits ? elements : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

GemmProblem default_gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType inputs,
                         DType output) {
  const Operand d{.type = output, .ld = n, .batch_stride = packed_stride(m, n)};
  return {.m = m,
          .n = n,
          .k = k,
          .a = {.type = inputs, .ld = k, .batch_stride = packed_stride(m, k)},
          .b = {.type = inputs,
                .order = Order::kColMajor,
                .ld = k,
                .batch_stride = packed_stride(k, n)},
          .c = d,
          .d = d,
          .epilogue = {}};
}

std::string_view GemmPlan::kernel_name() const {
  return state_->row->name;
}
std::size_t GemmPlan::workspace_bytes() const {
  return state_->workspace_bytes;
}
const GemmProblem& GemmPlan::problem() const {
  return state_->problem;
}

Status GemmPlan::run(const GemmArgs& args, Workspace workspace, Stream stream) const {
  const State& plan = *state_;
  if (is_empty(plan.problem)) return {};
  return without_exceptions([&]() -> Status {
    if (Status status = check_arguments(plan.problem, plan.c_layout, args); !status.ok()) {
      return status;
    }
    if (Status status = check_workspace(plan.row->name, plan.workspace_bytes, workspace);
        !status.ok()) {
      return status;
    }
    const GemmLaunch launch = {.problem = plan.problem,
                               .args = args,
                               .device = plan.device,
                               .workspace = workspace,
                               .stream = stream,
                               .cpu_threads = plan.cpu_threads};
    return plan.device.backend == Backend::kSim ? simulate(*plan.row, launch)
                                                : plan.row->launch(launch);
  });
}

Result<GemmPlan> plan_gemm(const GemmProblem& problem, const DeviceInfo& device,
                           const PlanOptions& options) {
  return without_exceptions([&] { return make_plan(problem, device, options); });
}

std::vector<Rejection> explain_gemm(const GemmProblem& problem, const DeviceInfo& device) {
  if (const Status status = validate(problem); !status.ok()) return {{"gemm", status.message()}};
  std::vector<Rejection> entries = explain_gemm(gemm_rows(), kGemmPresets, problem, device);
  if (device.backend != Backend::kSim) return entries;
  // The simulator runs what the card would take, or nothing: no other row moves up.
  for (Rejection& taken : entries) {
    if (!taken.reason.empty()) continue;
    const auto row = std::ranges::find(gemm_rows(), taken.kernel, &GemmRow::name);
    taken.reason = check_simulation(**row, problem, device).message();
  }
  return entries;
}

std::vector<KernelInfo> list_gemm() {
  std::vector<KernelInfo> list;
  for (const GemmRow* row : gemm_rows()) {
    list.push_back({.name = row->name,
                    .backend = row->backend,
                    .min_compute_capability = row->compute.min,
                    .max_compute_capability = row->compute.max,
                    .is_reference = row->is_reference,
                    .summary = row->summary});
  }
  return list;
}

Status gemm(const GemmProblem& problem, const GemmArgs& args, const DeviceInfo& device,
            Stream stream) {
  const Result<GemmPlan> plan = plan_gemm(problem, device);
  if (!plan.ok()) return plan.status();
  if (plan->workspace_bytes() > 0) {
    return without_exceptions([&]() -> Status {
      return Status::unsupported(
          fmt::format("{} needs {} bytes of workspace, which gemm() has none of; use plan_gemm and "
                      "hand one to run()",
                      plan->kernel_name(), plan->workspace_bytes()));
    });
  }
  return plan->run(args, {}, stream);
}

}  // namespace tilewright
