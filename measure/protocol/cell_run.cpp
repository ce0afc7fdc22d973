#include "measure/protocol/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostLaunches = 10'000;                // in a graph
constexpr std::int64_t kLongTurn_ns = 1'000'000'000;          // a turn takes fewer samples beyond
constexpr std::int64_t kNoLeadIn_ns = 100'000'000;            // a neighbour's traces are lost in it
constexpr std::int64_t kWarmUpStep_ns = 10'000'000;           // of one implementation at a time
constexpr std::chrono::nanoseconds kLongestPause{1'000'000};  // isolated: after each sample
constexpr double kShareBeforeRounds = 0.2;  // of a cell, for the time that is left

std::string regime_name(Regime regime) {
  return regime == Regime::kIsolated ? "isolated" : "sustained";
}

CheckRecord not_checked() {
  CheckRecord record;
  record.failure = "not checked: verification was turned off";
  return record;
}

}  // namespace

CellRun::CellRun(const GemmProblem& problem, const Protocol& protocol, Workbench bench,
                 Report report)
    : protocol_(protocol), bench_(std::move(bench)), report_(std::move(report)) {
  cell_.problem = problem;
  cell_.device_uuid = bench_.device.uuid();
  cell_.regime = regime_name(protocol.regime);
  cell_.timer = bench_.timer;
  cell_.fill = name_of(Fill::kUniform);
  cell_.seed = protocol.seed;
}

Cell CellRun::run(const std::vector<std::unique_ptr<Implementation>>& implementations,
                  int warmup_ms) {
  for (const std::unique_ptr<Implementation>& implementation : implementations) {
    Entry entry;
    entry.id = implementation->id();
    entry.status = "ok";  // until something says otherwise
    Contender contender;
    contender.implementation = implementation.get();
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
  for (Contender& contender : contenders_) admit(contender);
  warm_up(warmup_ms);
  for (Contender& contender : contenders_) {
    attempt(contender, [&] { return choose_launches(contender); });
  }
  play_rounds();
  if (!lost_.empty()) fail_rest("not timed: the device was lost: " + lost_);
  for (Contender& contender : contenders_) {
    compute_figures(cell_.problem, entry_of(contender));
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
    lost_ = fmt::format("{}, in the turn of {}", health.message(), entry_of(contender).id);
  }
}

Status CellRun::set_up() {
  Device& device = bench_.device;
  RotationRequest request;
  request.factor = protocol_.rotation_factor;
  request.cache_bytes = device.cache_bytes();
  request.limit_bytes = device.rotation_limit_bytes();
  request.limit_reason = device.rotation_limit_reason();
  Rotation rotation = plan_rotation(cell_.problem, request);
  if (protocol_.regime == Regime::kIsolated) {
    // One launch a sample after a flush of twice the cache: a second set would change nothing.
    rotation.sets = 1;
    rotation.reuse_distance_over_cache = request.cache_bytes > 0 ? 2.0 : 0.0;
    rotation.note.clear();
  }
  cell_.footprint_bytes = rotation.footprint_bytes;
  cell_.sets = rotation.sets;
  cell_.cache_bytes = rotation.cache_bytes;
  cell_.reuse_distance_over_cache = rotation.reuse_distance_over_cache;
  if (!rotation.note.empty()) cell_.notes.push_back(rotation.note);

  Result<OperandSets> operands =
      OperandSets::allocate(device, cell_.problem, rotation.sets, /*with_c=*/false);
  if (!operands) return operands.status();
  operands_ = std::move(*operands);
  if (Status status = operands_->fill(Fill::kUniform, protocol_.seed); !status) return status;
  if (!protocol_.check) {
    cell_.notes.push_back("results were not checked: verification was turned off");
    return {};
  }
  report_(fmt::format("running the reference {}", bench_.reference.id), 0.02);
  Result<Expected> expected =
      expected_for(device, bench_.reference, cell_.problem, *operands_, Scalars{});
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

  Result<std::unique_ptr<PreparedGemm>> prepared = contender.implementation->prepare(
      cell_.problem, bench_.device.info(), operands_->args(0), bench_.device.stream());
  if (!prepared) {
    fail(contender, prepared.status().message());
    if (prepared.status().code() == StatusCode::kUnsupported) entry.status = "unsupported";
    if (Status health = bench_.device.health(); !health) lost_ = health.message();
    return;
  }
  contender.prepared = std::move(*prepared);
  entry.kernel = contender.prepared->kernel_name();
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
  if (Status status = operands_->fill(Fill::kUniform, protocol_.seed); !status) return status;
  return {StatusCode::kDeviceError, "wrong result: " + record->failure};
}

LaunchAt CellRun::launch_of(Contender& contender) {
  return [this, &contender, stream = bench_.device.stream()](std::int64_t index) {
    contender.last_set = index % cell_.sets;
    contender.launched.resize(static_cast<std::size_t>(cell_.sets));
    contender.launched[static_cast<std::size_t>(contender.last_set)] = true;
    return contender.prepared->run(operands_->args(contender.last_set), stream);
  };
}

std::int64_t CellRun::smallest_sample(const Timer& timer) const {
  return timer.continues() ? 1 : cell_.sets;
}

// The smallest sample is enough to warm up, and to see how long a launch takes.
Status CellRun::make_ready(Contender& contender) {
  Result<std::unique_ptr<Timer>> timer = bench_.make_timer();
  if (!timer) return timer.status();
  contender.timer = std::move(*timer);
  return contender.timer->prepare(launch_of(contender), smallest_sample(*contender.timer));
}

// By the implementations themselves, in turn, so that the clock settles where they put it.
void CellRun::warm_up(int warmup_ms) {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(warmup_ms);
  std::vector<int> steps(contenders_.size(), 1);
  bool any = true;
  while (any && lost_.empty() && Clock::now() < end) {
    any = false;
    report_("warming up", 0.15);
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      Contender& contender = contenders_[i];
      any = any || running(contender);
      attempt(contender, [&]() -> Status {
        Result<std::vector<std::int64_t>> samples = contender.timer->samples(steps[i]);
        if (!samples) return samples.status();
        if (samples->empty()) return {};
        const std::int64_t one = std::max<std::int64_t>(samples->back(), 1);
        steps[i] = static_cast<int>(std::clamp<std::int64_t>(kWarmUpStep_ns / one, 1, 1000));
        return {};
      });
    }
  }
}

// Time of one sample as prepared: the last of a few, but of one where that is long already.
Result<std::int64_t> CellRun::probe(Timer& timer) const {
  std::int64_t last = 0;
  for (int i = 0; i < 3 && last < kNoLeadIn_ns; ++i) {
    Result<std::vector<std::int64_t>> samples = timer.samples(1);
    if (!samples) return samples.status();
    if (Status status = check_samples(*samples, 1); !status) return status;
    last = samples->front();
  }
  return last;
}

// How many launches last about as long as asked for, and how many samples fit a turn.
Status CellRun::choose_launches(Contender& contender) {
  Entry& entry = entry_of(contender);
  const std::int64_t smallest = smallest_sample(*contender.timer);
  entry.launches_per_sample = smallest;
  Result<std::int64_t> smallest_ns = probe(*contender.timer);
  if (!smallest_ns) return smallest_ns.status();
  std::int64_t sample_ns = *smallest_ns;
  if (protocol_.regime == Regime::kSustained) {
    const double wanted =
        std::ceil(protocol_.sample_target_us * 1e3 / static_cast<double>(sample_ns));
    const std::int64_t most = std::max<std::int64_t>(kMostLaunches / smallest, 1);
    const auto times =
        static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
    if (times > 1) {
      entry.launches_per_sample = times * smallest;
      Status status = contender.timer->prepare(launch_of(contender), entry.launches_per_sample);
      if (!status) return status;
      sample_ns *= times;
    }
  }
  contender.lead_in = sample_ns < kNoLeadIn_ns;
  contender.samples = static_cast<int>(
      std::clamp<std::int64_t>(kLongTurn_ns / sample_ns, 1, protocol_.samples_per_round));
  if (contender.samples < protocol_.samples_per_round) {
    cell_.notes.push_back(fmt::format(
        "{}: {} samples a round instead of {}, as one takes {:.0f} ms", entry.id, contender.samples,
        protocol_.samples_per_round, static_cast<double>(sample_ns) * 1e-6));
  }
  return {};
}

void CellRun::play_rounds() {
  std::vector<Contender*> running_ones;
  for (Contender& contender : contenders_) {
    if (running(contender)) running_ones.push_back(&contender);
  }
  for (int round = 0; round < protocol_.rounds; ++round) {
    const double share =
        kShareBeforeRounds + (1 - kShareBeforeRounds) * round / std::max(protocol_.rounds, 1);
    for (const std::size_t place : round_order(running_ones.size(), round)) {
      Contender& contender = *running_ones[place];
      if (!running(contender)) continue;
      report_(
          fmt::format("round {} of {}: {}", round + 1, protocol_.rounds, entry_of(contender).id),
          share);
      attempt(contender, [&]() -> Status {
        Status status = take_turn(contender, round + 1 == protocol_.rounds);
        if (status) return status;
        return {status.code(), fmt::format("round {}: {}", round + 1, status.message())};
      });
    }
  }
}

Status CellRun::take_turn(Contender& contender, bool last_round) {
  // Before the last turn every D is poisoned, so that what is checked after it was written in it.
  const bool check = last_round && expected_.has_value();
  for (std::int64_t set = 0; check && set < cell_.sets; ++set) {
    if (Status status = operands_->poison_d(set); !status) return status;
  }
  // A graph replays what it captured, all of it in every sample; other launches are counted anew.
  if (check && contender.timer->continues()) contender.launched.clear();
  Result<std::vector<std::int64_t>> samples = protocol_.regime == Regime::kIsolated
                                                  ? take_isolated_samples(contender)
                                                  : take_samples(contender);
  if (!samples) return samples.status();
  entry_of(contender).rounds_ns.push_back(std::move(*samples));
  return check ? check_after(contender) : Status{};
}

Result<std::vector<std::int64_t>> CellRun::take_samples(Contender& contender) {
  const int lead_in = contender.lead_in ? 1 : 0;
  Result<std::vector<std::int64_t>> samples = contender.timer->samples(lead_in + contender.samples);
  if (!samples) return samples;
  Status status = check_samples(*samples, static_cast<std::size_t>(lead_in + contender.samples));
  if (!status) return status;
  samples->erase(samples->begin(), samples->begin() + lead_in);
  return samples;
}

Result<std::vector<std::int64_t>> CellRun::take_isolated_samples(Contender& contender) {
  std::vector<std::int64_t> samples_ns;
  for (int i = 0; i < contender.samples; ++i) {
    if (Status status = bench_.device.flush_cache(); !status) return status;
    Result<std::vector<std::int64_t>> one = contender.timer->samples(1);
    if (!one) return one.status();
    if (Status status = check_samples(*one, 1); !status) return status;
    samples_ns.push_back(one->front());
    std::this_thread::sleep_for(
        std::min(std::chrono::nanoseconds(one->front()), kLongestPause));  // to cool down
  }
  return samples_ns;
}

// The last set in full; the others hold the same operands, so the same bits stand for the same
// verdict, and what differs (sums in another order, or no work done) is checked in full as well.
Result<CheckRecord> CellRun::check_launched_sets(const Contender& contender) {
  Result<CheckRecord> record = check_set(*expected_, *operands_, contender.last_set);
  if (!record || !record->passed) return record;
  const Result<std::uint64_t> right = operands_->checksum_d(contender.last_set);
  if (!right) return right.status();
  for (std::int64_t set = 0; set < static_cast<std::int64_t>(contender.launched.size()); ++set) {
    if (!contender.launched[static_cast<std::size_t>(set)] || set == contender.last_set) continue;
    const Result<std::uint64_t> sum = operands_->checksum_d(set);
    if (!sum) return sum.status();
    if (*sum == *right) continue;
    Result<CheckRecord> other = check_set(*expected_, *operands_, set);
    if (!other || !other->passed) return other;
  }
  return record;
}

Status CellRun::check_after(Contender& contender) {
  Entry& entry = entry_of(contender);
  Result<CheckRecord> record = check_launched_sets(contender);
  if (!record) return record.status();
  entry.check_after = *record;
  if (record->passed) return {};
  // Those whose last turn is still to come need whole inputs.
  if (Status status = operands_->fill(Fill::kUniform, protocol_.seed); !status) return status;
  return {StatusCode::kDeviceError, "wrong result after the timing: " + record->failure};
}

}  // namespace tilewright::measure
