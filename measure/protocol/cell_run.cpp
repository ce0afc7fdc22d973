// A cell up to its rounds: buffers, gate, warm-up.
#include "measure/protocol/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kWarmUpStep_ns = 10'000'000;  // of one implementation at a time

std::string_view name_of(CacheUse use) {
  switch (use) {
    case CacheUse::kRotate:
      return "rotated";
    case CacheUse::kFlush:
      return "flushed";
    case CacheUse::kWarm:
      return "warm";
  }
  return "?";
}

CheckRecord not_checked() {
  CheckRecord record;
  record.failure = "not checked: verification was turned off";
  return record;
}

}  // namespace

Cell empty_cell(const GemmProblem& problem, const Protocol& protocol, const DeviceInfo& device) {
  Cell cell;
  cell.problem = problem;
  cell.device_uuid = uuid_of(device);
  cell.regime = protocol.regime == Regime::kIsolated ? "isolated" : "sustained";
  cell.test = protocol.test == TestType::kFixedPower ? "fixed-power" : "fixed-frequency";
  cell.timer = protocol.timer;
  cell.cache = name_of(*protocol.cache);
  if (*protocol.cache == CacheUse::kFlush) {
    cell.flush = protocol.flush == Flush::kDiscard ? "discard" : "read";
  }
  cell.fill = name_of(protocol.fill->fill);
  cell.seed = protocol.seed;
  return cell;
}

CellRun::CellRun(const GemmProblem& problem, const Protocol& protocol, Workbench bench,
                 Report report)
    : protocol_(protocol),
      bench_(std::move(bench)),
      report_(std::move(report)),
      cell_(empty_cell(problem, protocol, bench_.device.info())) {}

Cell CellRun::run(const std::vector<Implementation*>& implementations, int warmup_ms,
                  std::int64_t deadline_ns) {
  const std::int64_t start_ns = bench_.clock.now_ns();
  for (Implementation* implementation : implementations) {
    Entry entry;
    entry.id = implementation->id();
    entry.status = "ok";  // until something says otherwise
    Contender contender;
    contender.implementation = implementation;
    contender.entry = cell_.entries.size();
    cell_.entries.push_back(std::move(entry));
    contenders_.push_back(std::move(contender));
  }
  report_("allocating and filling", 0);
  if (Status status = set_up(); !status) {
    if (!bench_.device.health()) lost_ = status.message();
    fail_rest(status.message());
    return std::move(cell_);
  }
  measure_overhead();
  measure_floor();
  for (Contender& contender : contenders_) admit(contender);
  warm_up(warmup_ms);
  for (Contender& contender : contenders_) {
    attempt(contender, [&] { return choose_launches(contender); });
  }
  play_rounds(deadline_ns);
  for (Contender& contender : contenders_) {
    if (protocol_.triple) attempt(contender, [&] { return measure_triple(contender); });
    if (protocol_.energy_ms > 0) attempt(contender, [&] { return measure_energy(contender); });
  }
  if (!lost_.empty()) fail_rest("not timed: " + lost_);
  cell_.trace = bench_.watch.trace_since(start_ns);
  for (Contender& contender : contenders_) {
    compute_figures(cell_.problem, entry_of(contender));
    if (running(contender)) flag(contender);
    contender.timer.reset();
    contender.prepared.reset();
  }
  return std::move(cell_);
}

void CellRun::fail(Contender& contender, const std::string& reason) {
  Entry& entry = entry_of(contender);
  entry.status = "failed";
  entry.reason = reason;
  entry.rounds_ns.clear();
  entry.turns.clear();
  entry.launches_per_sample = 0;
  contender.timer.reset();
  contender.prepared.reset();
}

void CellRun::fail_rest(const std::string& reason) {
  for (Contender& contender : contenders_) {
    if (entry_of(contender).status == "ok") fail(contender, reason);
  }
}

// A step of one implementation: what goes wrong in it is its own failure, unless it took the device
// with it.
void CellRun::attempt(Contender& contender, const std::function<Status()>& step) {
  if (!running(contender) || !lost_.empty()) return;
  const Status status = step();
  if (status) return;
  fail(contender, status.message());
  if (Status health = bench_.device.health(); !health) {
    lost_ = fmt::format("the device was lost: {}, in the turn of {}", health.message(),
                        entry_of(contender).id);
  }
}

// How many sets there are, and whether a line can still be in the cache when it is used again.
void CellRun::plan_cache() {
  Device& device = bench_.device;
  RotationRequest request;
  request.factor = protocol_.rotation_factor;
  request.cache_bytes = device.cache_bytes();
  request.limit_bytes = device.rotation_limit_bytes();
  request.limit_reason = device.rotation_limit_reason();
  Rotation rotation = plan_rotation(cell_.problem, request);
  if (*protocol_.cache != CacheUse::kRotate) {
    // Two all the same: the second shows that a call reads the operands it was given.
    if (!protocol_.triple) rotation.sets = 2;
    rotation.note.clear();
    rotation.reuse_distance_over_cache =
        *protocol_.cache == CacheUse::kFlush && request.cache_bytes > 0 ? 2.0 : 0.0;
    if (*protocol_.cache == CacheUse::kWarm) {
      rotation.note = "warm, as asked for: every launch uses the operands of the last one";
    }
  }
  cell_.footprint_bytes = rotation.footprint_bytes;
  cell_.sets = rotation.sets;
  cell_.cache_bytes = rotation.cache_bytes;
  cell_.reuse_distance_over_cache = rotation.reuse_distance_over_cache;
  if (!rotation.note.empty()) cell_.notes.push_back(rotation.note);
}

Status CellRun::set_up() {
  plan_cache();
  Result<OperandSets> operands =
      OperandSets::allocate(bench_.device, cell_.problem, cell_.sets, /*with_c=*/false);
  if (!operands) return operands.status();
  operands_ = std::move(*operands);
  if (Status status = operands_->fill(*protocol_.fill, protocol_.seed); !status) return status;
  const Result<double> entropy = operands_->entropy_bits();
  if (!entropy) return entropy.status();
  cell_.fill_entropy_bits = *entropy;
  if (!protocol_.check) {
    cell_.notes.push_back("results were not checked: verification was turned off");
    return {};
  }
  report_(fmt::format("running the reference {}", bench_.reference.id), 0.02);
  Result<Expected> expected =
      expected_for(bench_.device, bench_.reference, cell_.problem, *operands_, Scalars{});
  if (!expected) return expected.status();
  expected_ = std::move(*expected);
  return {};
}

// Prepared, checked and ready to be timed, or an entry that says why not.
void CellRun::admit(Contender& contender) {
  if (!lost_.empty()) return;
  Entry& entry = entry_of(contender);
  report_("preparing " + entry.id, 0.05);
  if (std::string reason = contender.implementation->missing(); !reason.empty()) {
    entry.status = "missing";
    entry.reason = std::move(reason);
    return;
  }
  const Provenance provenance = contender.implementation->provenance();
  entry.version = provenance.version;
  entry.path = provenance.path;
  entry.policy = provenance.policy;
  entry.workspace_limit_bytes = provenance.workspace_limit_bytes;

  const std::vector<GemmArgs> sets = operands_->all_args();
  Result<std::unique_ptr<PreparedGemm>> prepared = contender.implementation->prepare(
      cell_.problem, bench_.device.info(), sets, bench_.device.stream());
  if (!prepared) {
    fail(contender, prepared.status().message());
    if (prepared.status().code() == StatusCode::kUnsupported) entry.status = "unsupported";
    if (Status health = bench_.device.health(); !health) lost_ = health.message();
    return;
  }
  contender.prepared = std::move(*prepared);
  entry.kernel = contender.prepared->kernel_name();
  if (std::string policy = contender.prepared->policy(); !policy.empty()) entry.policy = policy;
  entry.padding = contender.prepared->padding();
  entry.persisting_l2_bytes = contender.prepared->persisting_l2_bytes();
  attempt(contender, [&] { return pass_gate(contender); });
  attempt(contender, [&] { return make_ready(contender); });
}

Status CellRun::pass_gate(Contender& contender) {
  Entry& entry = entry_of(contender);
  if (!expected_) {
    entry.check_before = entry.check_after = not_checked();
    return {};
  }
  report_("checking " + entry.id, 0.1);
  Result<CheckRecord> record =
      check_run(bench_.device, *expected_, *operands_, Scalars{}, *contender.prepared);
  if (!record) return record.status();
  entry.check_before = *record;
  if (record->passed) return {};
  // The next one must not be judged by what this one may have done to the inputs.
  if (Status status = operands_->fill(*protocol_.fill, protocol_.seed); !status) return status;
  return {StatusCode::kDeviceError, "wrong result: " + record->failure};
}

LaunchAt CellRun::launch_of(Contender& contender) {
  return [this, &contender, stream = bench_.device.stream()](std::int64_t index) {
    // A flush stands between launches, or warmth is asked for: then one set is enough.
    contender.last_set = *protocol_.cache == CacheUse::kRotate ? index % cell_.sets : 0;
    contender.launched.resize(static_cast<std::size_t>(cell_.sets));
    contender.launched[static_cast<std::size_t>(contender.last_set)] = true;
    return contender.prepared->run(operands_->args(contender.last_set), stream);
  };
}

std::int64_t CellRun::smallest_sample(const Timer& timer) const {
  return timer.continues() || *protocol_.cache != CacheUse::kRotate ? 1 : cell_.sets;
}

// The smallest sample is enough to warm up, and to see how long a launch takes.
Status CellRun::make_ready(Contender& contender) {
  Result<std::unique_ptr<Timer>> timer = bench_.make_timer();
  if (!timer) return timer.status();
  contender.timer = std::move(*timer);
  return contender.timer->prepare(launch_of(contender), smallest_sample(*contender.timer));
}

void CellRun::warm_step(Contender& contender, int& steps) {
  attempt(contender, [&]() -> Status {
    Result<std::vector<std::int64_t>> samples = contender.timer->samples(steps);
    if (!samples) return samples.status();
    if (samples->empty()) return {};
    const std::int64_t one = std::max<std::int64_t>(samples->back(), 1);
    steps = static_cast<int>(std::clamp<std::int64_t>(kWarmUpStep_ns / one, 1, 1000));
    return {};
  });
}

// By the implementations themselves, in turn, so that the clock settles where they put it; then on
// until clock and power no longer move.
void CellRun::warm_up(int warmup_ms) {
  const std::int64_t start = bench_.clock.now_ns();
  const auto elapsed_ms = [&] { return (bench_.clock.now_ns() - start) / 1'000'000; };
  const bool sustained = protocol_.regime == Regime::kSustained;
  std::vector<int> steps(contenders_.size(), 1);
  Steadiness steadiness;
  bool any = warmup_ms > 0;
  while (any && lost_.empty()) {
    if (elapsed_ms() >= warmup_ms) {
      steadiness = steadiness_of(bench_.watch.trace_since(start), bench_.clock.now_ns());
      // An isolated call is made on a cool card: there is no steady state to wait for.
      if (!sustained || steadiness.settled.value_or(true)) break;
      if (elapsed_ms() >= std::max(protocol_.most_warmup_ms, warmup_ms)) break;
    }
    any = false;
    report_("warming up", 0.15);
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      any = any || running(contenders_[i]);
      warm_step(contenders_[i], steps[i]);
    }
    if (bench_.watch.sees()) (void)bench_.watch.read();
  }
  cell_.warm_up.ms = elapsed_ms();
  if (!sustained) return;
  cell_.warm_up.settled = steadiness.settled;
  cell_.warm_up.slope_percent_s = steadiness.clock_slope_percent_s;
  if (steadiness.settled.has_value() && !*steadiness.settled) {
    cell_.notes.push_back(fmt::format(
        "clock and power still moved after {} ms of warm-up: the figures are not of a steady state",
        cell_.warm_up.ms));
  }
}

}  // namespace tilewright::measure
