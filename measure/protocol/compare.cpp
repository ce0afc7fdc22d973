#include "measure/protocol/compare.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "measure/peers/implementation.h"
#include "measure/protocol/device.h"
#include "measure/protocol/engine.h"
#include "measure/protocol/gate.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

Status check_protocol(const Protocol& protocol) {
  if (protocol.rounds < 1 || protocol.samples_per_round < 1 || protocol.sample_target_us < 1) {
    return Status::invalid(fmt::format(
        "rounds is {}, samples a round {} and the sample target {} us; each must be at least 1",
        protocol.rounds, protocol.samples_per_round, protocol.sample_target_us));
  }
  if (protocol.warmup_ms < 0 || protocol.first_warmup_ms < 0) {
    return Status::invalid(
        fmt::format("the warm-up is {} ms, and {} ms before the first cell; 0 or "
                    "more is accepted",
                    protocol.warmup_ms, protocol.first_warmup_ms));
  }
  if (!(protocol.rotation_factor >= 0) || protocol.rotation_factor > 1e6) {
    return Status::invalid(fmt::format(
        "the rotation factor is {}; 0 to 1000000 caches are accepted", protocol.rotation_factor));
  }
  return {};
}

// Whether a problem is wrong whatever the kernel; that no kernel takes it is not asked here.
Status check_problem(const GemmProblem& problem, const DeviceInfo& device) {
  Result<GemmPlan> plan = plan_gemm(problem, device);
  if (!plan && plan.status().code() == StatusCode::kInvalidArgument) return plan.status();
  return {};
}

}  // namespace

Result<std::vector<Cell>> compare(const CompareSpec& spec, const Progress& progress) {
  if (spec.device.backend == Backend::kSim) {
    return Status(
        StatusCode::kNoDevice,
        "device sim cannot be measured, only verified: its clock is the host's; cpu and cuda can");
  }
  if (Status status = check_protocol(spec.protocol); !status) return status;
  for (const GemmProblem& problem : spec.problems) {
    if (Status status = check_problem(problem, spec.device); !status) return status;
  }
  std::vector<std::unique_ptr<Implementation>> implementations;
  for (const std::string& id : spec.ids) {
    Result<std::unique_ptr<Implementation>> made = make_implementation(id, spec.device);
    if (!made) return made.status();
    implementations.push_back(std::move(*made));
  }
  Result<std::unique_ptr<Device>> device = make_device(spec.device);
  if (!device) return device.status();
  const std::string timer =
      spec.protocol.timer.empty() ? default_timer(spec.device.backend) : spec.protocol.timer;
  Result<TimerFactory> make_timer = timer_factory(timer, **device);
  if (!make_timer) return make_timer.status();
  return compare_with(spec, implementations,
                      {**device, std::move(*make_timer), timer, library_reference(spec.device)},
                      progress);
}

Result<CheckRecord> verify(const std::string& id, const GemmProblem& problem,
                           const DeviceInfo& info, std::uint64_t seed, float alpha, float beta) {
  if (Status status = check_problem(problem, info); !status) return status;
  Result<std::unique_ptr<Implementation>> made = make_implementation(id, info);
  if (!made) return made.status();
  if (const std::string reason = (*made)->missing(); !reason.empty()) {
    return Status::unsupported(reason);
  }
  if (Status status = (*made)->precheck(problem, info); !status) return status;
  Result<std::unique_ptr<Device>> device = make_device(info);
  if (!device) return device.status();
  Result<OperandSets> operands = OperandSets::allocate(**device, problem, 1, beta != 0);
  if (!operands) return operands.status();
  if (Status status = operands->fill(Fill::kUniform, seed); !status) return status;
  const Scalars scalars{alpha, beta};
  Result<Expected> expected =
      expected_for(**device, library_reference(info), problem, *operands, scalars);
  if (!expected) return expected.status();
  Result<std::unique_ptr<PreparedGemm>> prepared =
      (*made)->prepare(problem, info, operands->args(0), (*device)->stream());
  if (!prepared) return prepared.status();
  return check_run(**device, *expected, *operands, scalars, **prepared);
}

}  // namespace tilewright::measure
