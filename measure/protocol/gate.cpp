#include "measure/protocol/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "measure/protocol/check.h"
#include "measure/protocol/threads.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {
namespace {

// The same product with a packed f32 output, so that one rounding stands between the oracle and D.
GemmProblem reference_problem(const GemmProblem& problem) {
  GemmProblem wide = problem;
  wide.d = {.type = DType::kF32,
            .order = Order::kRowMajor,
            .ld = std::max<std::int64_t>(problem.n, 1),
            .batch_stride = problem.m * problem.n};
  wide.c.type = DType::kF32;
  wide.c.alignment_bytes = 16;
  return wide;
}

// C has D's type, so the oracle's is another buffer: the same values, decoded.
Result<Buffer> wide_c(Device& device, const GemmProblem& problem, const HostOperands& host) {
  const std::int64_t elements = span_elements(problem.c, shape_d(problem));
  std::vector<float> values(static_cast<std::size_t>(elements));
  Status status = decode(problem.d.type, host.c.data(), elements, values.data());
  if (!status) return status;
  Result<Buffer> buffer = Buffer::allocate(device, bytes_of(DType::kF32, elements));
  if (!buffer) return buffer.status();
  status = device.upload(buffer->data(), values.data(), bytes_of(DType::kF32, elements));
  if (!status) return status;
  return buffer;
}

Result<std::vector<float>> reference_values(Device& device, const Reference& reference,
                                            const GemmProblem& problem, const OperandSets& operands,
                                            const HostOperands& host) {
  std::vector<float> values(static_cast<std::size_t>(problem.m * problem.n * problem.batch));
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  if (values.empty()) return values;
  Result<Buffer> d = Buffer::allocate(device, bytes);
  if (!d) return d.status();
  Status status = device.poison(d->data(), bytes);

  GemmArgs args = operands.args(0);
  args.d = d->data();
  args.alpha = host.alpha;
  args.beta = host.beta;
  Buffer c;
  if (host.beta != 0) {
    Result<Buffer> wide = wide_c(device, problem, host);
    if (!wide) return wide.status();
    c = std::move(*wide);
    args.c = c.data();
  }
  if (status) status = reference.run(reference_problem(problem), args, device.stream());
  if (status) status = device.download(values.data(), d->data(), bytes);
  if (!status) {
    return Status(status.code(),
                  fmt::format("the reference {} failed: {}", reference.id, status.message()));
  }
  return values;
}

// The other sign for every element, so that one expectation serves sets of both signs. Poison stays
// what it is; guards and the first element are multiples of an element apart.
void negate_written(std::vector<std::byte>& image, std::int64_t size) {
  const auto count = static_cast<std::int64_t>(image.size()) / size;
  for_ranges(count, 8, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      std::byte* element = image.data() + i * size;
      const bool poison =
          std::all_of(element, element + size, [](std::byte b) { return b == std::byte{0xff}; });
      if (!poison) element[size - 1] ^= std::byte{0x80};  // the sign is the top bit
    }
  });
}

}  // namespace

Reference library_reference(const DeviceInfo& device) {
  // The simulator's memory is the host's, and so is the oracle for it: no word of a kernel is
  // shared.
  const DeviceInfo on = device.backend == Backend::kSim ? cpu_device() : device;
  Reference reference;
  reference.id = fmt::format("gemm-{}-reference", name_of(on.backend));
  if (on.backend == Backend::kCpu) reference.most_multiply_adds = 2e10;
  // Planned for each call: an oracle's launch is never timed.
  reference.run = [on, id = reference.id](const GemmProblem& problem, const GemmArgs& args,
                                          Stream stream) -> Status {
    Result<GemmPlan> plan = plan_gemm(problem, on, {.kernel = id});
    return plan ? plan->run(args, {}, stream) : plan.status();
  };
  return reference;
}

Result<Expected> expected_for(Device& device, const Reference& reference,
                              const GemmProblem& problem, const OperandSets& operands,
                              Scalars scalars) {
  HostOperands host;
  host.alpha = scalars.alpha;
  host.beta = scalars.beta;
  if (Status status = operands.download_inputs(host.a, host.b, host.c); !status) return status;
  const double products = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                          static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  std::vector<float> values;
  if (products <= reference.most_multiply_adds) {
    Result<std::vector<float>> all = reference_values(device, reference, problem, operands, host);
    if (!all) return all.status();
    values = std::move(*all);
  }
  return make_expected(problem, host, reference.id, std::move(values));
}

Result<CheckRecord> check_set(const Expected& expected, const OperandSets& operands,
                              std::int64_t set) {
  std::vector<std::byte> image;
  if (Status status = operands.download_d(set, image); !status) return status;
  if (OperandSets::d_negated(set)) negate_written(image, bytes_of(expected.problem.d.type, 1));
  CheckRecord record = check_output(expected, image, OperandSets::kGuardBytes);
  if (!record.passed) return record;
  Result<std::string> changed = operands.changed_input(set);
  if (!changed) return changed.status();
  if (!changed->empty()) {
    record.passed = false;
    record.failure = fmt::format("input {} is not what it was before the run", *changed);
  }
  return record;
}

namespace {

// The stream is held back until the run is queued, and D is poisoned after that wait: what works on
// another stream is done before the poison, and does not count.
Status run_held_back(Device& device, OperandSets& operands, Scalars scalars, PreparedGemm& prepared,
                     std::int64_t set) {
  constexpr std::int64_t kHeldBack_ns = 2'000'000;
  GemmArgs args = operands.args(set);
  args.alpha = scalars.alpha;
  args.beta = scalars.beta;
  Status status;
  if (device.info().backend == Backend::kCuda) status = device.delay(kHeldBack_ns);
  if (status) status = operands.poison_d(set);
  if (status) status = prepared.run(args, device.stream());
  return status ? device.synchronize() : status;
}

}  // namespace

Result<CheckRecord> check_run(Device& device, const Expected& expected, OperandSets& operands,
                              Scalars scalars, PreparedGemm& prepared) {
  // The second set's result has the other sign: a call that keeps its inputs or its output, or that
  // gives what it gave before, is right for one of them at most.
  const std::int64_t sets = std::min<std::int64_t>(operands.sets(), 2);
  CheckRecord record;
  for (std::int64_t set = 0; set < sets; ++set) {
    if (Status status = run_held_back(device, operands, scalars, prepared, set); !status) {
      return status;
    }
    Result<CheckRecord> of_set = check_set(expected, operands, set);
    if (!of_set || !of_set->passed) return of_set;
    if (set == 0) record = *of_set;
    const Result<std::uint64_t> then = operands.checksum_d(set);
    if (Status status = device.synchronize_all(); !status) return status;
    const Result<std::uint64_t> now = operands.checksum_d(set);
    if (!then || !now) return then ? now.status() : then.status();
    if (*then == *now) continue;
    of_set->passed = false;
    of_set->failure = "D changed after the stream was done: it works on another stream";
    return of_set;
  }
  return record;
}

}  // namespace tilewright::measure
