// The rounds of a cell: who is timed when, what counts, and when there have been enough.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/protocol/cell_run.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kMostLaunches = 10'000;        // in a graph
constexpr std::int64_t kLongTurn_ns = 1'000'000'000;  // a turn takes fewer samples beyond
constexpr std::int64_t kNoLeadIn_ns = 100'000'000;    // a neighbour's traces are lost in it
constexpr std::int64_t kMostLeadIn = 2000;            // samples
constexpr std::int64_t kLongestPause_ns = 10'000'000;
constexpr double kShareBeforeRounds = 0.2;  // of a cell, for the time that is left
constexpr int kExtraRounds = 4;             // at a time, where the verdict is open

}  // namespace

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
  if (protocol_.regime == Regime::kSustained && *protocol_.cache != CacheUse::kFlush) {
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
  const int wanted_samples = *protocol_.samples_per_round;
  contender.sample_ns = sample_ns;
  // At least one, after the neighbour's, but where a sample outlasts any trace of it.
  const std::int64_t lead_in_ns = std::int64_t{*protocol_.lead_in_ms} * 1'000'000;
  contender.lead_in =
      sample_ns < kNoLeadIn_ns
          ? static_cast<int>(std::clamp<std::int64_t>(lead_in_ns / sample_ns, 1, kMostLeadIn))
          : 0;
  contender.samples =
      static_cast<int>(std::clamp<std::int64_t>(kLongTurn_ns / sample_ns, 1, wanted_samples));
  if (contender.samples < wanted_samples) {
    cell_.notes.push_back(
        fmt::format("{}: {} samples a round instead of {}, as one takes {:.0f} ms", entry.id,
                    contender.samples, wanted_samples, static_cast<double>(sample_ns) * 1e-6));
  }
  return {};
}

// Whose time stands below the ratios: the one that was asked for, or the first that still runs.
std::size_t CellRun::baseline() const {
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (running(contenders_[i]) && cell_.entries[i].id == protocol_.against) return i;
  }
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (running(contenders_[i])) return i;
  }
  return 0;
}

// Who must be timed again: those that cannot be told from the baseline, and the baseline.
std::vector<std::size_t> CellRun::undecided() const {
  const std::size_t base = baseline();
  std::vector<std::size_t> open;
  if (base >= contenders_.size() || !running(contenders_[base])) return open;
  Entry against = cell_.entries[contenders_[base].entry];
  compute_figures(cell_.problem, against);
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (i == base || !running(contenders_[i])) continue;
    Entry entry = cell_.entries[contenders_[i].entry];
    compute_figures(cell_.problem, entry);
    const RatioInterval interval =
        paired_ratio(entry.round_medians_ns, against.round_medians_ns, protocol_.rule.confidence,
                     protocol_.rule.seed, protocol_.rule.resamples);
    const std::size_t rounds = std::min(entry.rounds_ns.size(), against.rounds_ns.size());
    if (verdict_of(interval, rounds, protocol_.rule.same_within) == Verdict::kUndecided) {
      open.push_back(i);
    }
  }
  if (!open.empty()) open.push_back(base);
  std::sort(open.begin(), open.end());
  return open;
}

void CellRun::play_rounds(std::int64_t deadline_ns) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    if (running(contenders_[i])) places.push_back(i);
  }
  if (places.empty()) return;
  cell_.against = cell_.entries[contenders_[baseline()].entry].id;
  play(places, protocol_.rounds);
  cell_.stopped = "rounds";
  if (protocol_.budget_ms <= 0) return;
  int rounds = protocol_.rounds;
  while (lost_.empty()) {
    const std::vector<std::size_t> open = undecided();
    if (open.empty()) {
      cell_.stopped = "decided";
      return;
    }
    if (bench_.clock.now_ns() >= deadline_ns) {
      cell_.stopped = "budget";
      return;
    }
    if (rounds >= protocol_.most_rounds) {
      cell_.stopped = "most";
      return;
    }
    const int more = std::min(kExtraRounds, protocol_.most_rounds - rounds);
    play(open, more);
    rounds += more;
  }
}

// `rounds` rounds that count. One that the card spoilt is played again, at most as often again.
void CellRun::play(const std::vector<std::size_t>& places, int rounds) {
  int counted = 0;
  for (int tries = 0; counted < rounds && tries < 2 * rounds && lost_.empty(); ++tries) {
    const bool last = counted + 1 == rounds;
    if (play_round(places, counted, last)) ++counted;
  }
  const int spoilt = rounds - counted;
  if (throttled_rounds_ > 0) {
    cell_.notes.push_back(
        fmt::format("{} rounds did not count: {}", throttled_rounds_, throttled_why_));
    throttled_rounds_ = 0;
  }
  if (spoilt == 0 || !lost_.empty()) return;
  for (const std::size_t place : places) {
    Contender& contender = contenders_[place];
    if (!running(contender)) continue;
    // Without its last round a run has not been checked after the timing either.
    attempt(contender, [&] {
      return Status(StatusCode::kDeviceError,
                    fmt::format("no valid sample ({}); cool the card or mend its power supply, or "
                                "lower --least-clock",
                                throttled_why_));
    });
  }
}

// False where another process was found, and that stops the run.
bool CellRun::nobody_else(int round) {
  const std::string found = bench_.watch.intruder();
  if (found.empty()) return true;
  if (!protocol_.allow_busy) {
    lost_ = fmt::format("round {}: {}; stop it, or measure beside it with --allow-busy", round + 1,
                        found);
    return false;
  }
  for (Contender& contender : contenders_) {
    if (!running(contender)) continue;
    std::vector<std::string>& flags = entry_of(contender).flags;
    const std::string flag = "contended: " + found;
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
  }
  return true;
}

// Whether it counts.
bool CellRun::play_round(const std::vector<std::size_t>& places, int round, bool last_round) {
  if (!nobody_else(round)) return false;
  std::vector<std::size_t> still;
  for (const std::size_t place : places) {
    if (running(contenders_[place])) still.push_back(place);
  }
  if (still.empty()) return true;
  const double share =
      kShareBeforeRounds + (1 - kShareBeforeRounds) * round / std::max(protocol_.rounds, 1);
  std::vector<std::int64_t> order;
  std::vector<std::pair<Contender*, Turn>> turns;
  std::string spoilt;
  for (const std::size_t index : round_order(protocol_.order, still.size(), turns_played_)) {
    Contender& contender = contenders_[still[index]];
    report_(fmt::format("round {} of {}: {}", round + 1, protocol_.rounds, entry_of(contender).id),
            share);
    attempt(contender, [&]() -> Status {
      Result<Turn> turn = take_turn(contender, last_round && spoilt.empty());
      if (!turn) {
        return {turn.status().code(),
                fmt::format("round {}: {}", round + 1, turn.status().message())};
      }
      order.push_back(static_cast<std::int64_t>(contender.entry));
      if (spoilt.empty()) spoilt = turn->throttled;
      turns.emplace_back(&contender, std::move(*turn));
      return {};
    });
  }
  ++turns_played_;
  if (!spoilt.empty()) {
    ++throttled_rounds_;
    throttled_why_ = spoilt;
    return false;
  }
  for (auto& [contender, turn] : turns) {
    if (!running(*contender)) continue;
    entry_of(*contender).rounds_ns.push_back(std::move(turn.samples_ns));
    if (bench_.watch.sees()) entry_of(*contender).turns.push_back(turn.card);
  }
  cell_.order.push_back(std::move(order));
  return true;
}

Result<CellRun::Turn> CellRun::take_turn(Contender& contender, bool check) {
  // Before the last turn every D is poisoned, so that what is checked after it was written in it.
  check = check && expected_.has_value();
  for (std::int64_t set = 0; check && set < cell_.sets; ++set) {
    if (Status status = operands_->poison_d(set); !status) return status;
  }
  // A graph replays what it captured, all of it in every sample; other launches are counted anew.
  if (check && contender.timer->continues()) contender.launched.clear();
  const std::int64_t persisting = entry_of(contender).persisting_l2_bytes;
  if (persisting > 0) {
    if (Status status = bench_.device.reserve_persisting_cache(persisting); !status) return status;
  }
  Turn turn;
  const CardReading before = bench_.watch.read();
  bench_.device.begin_measured(entry_of(contender).id);
  Result<std::vector<std::int64_t>> samples =
      *protocol_.cache == CacheUse::kFlush ? take_flushed_samples(contender, contender.samples)
                                           : take_samples(contender);
  bench_.device.end_measured();
  turn.card = bench_.watch.turn_since(before);
  // Taken back whatever happened: the next one has all of the cache.
  if (persisting > 0) {
    if (Status status = bench_.device.reserve_persisting_cache(0); !status) return status;
  }
  if (!samples) return samples.status();
  entry_of(contender).facts = contender.timer->facts();
  turn.samples_ns = std::move(*samples);
  turn.throttled = throttled(turn.card, bench_.card.highest_sm_mhz(), protocol_.least_clock_share);
  if (Status status = clock_stood_still(turn.card); !status) return status;
  if (check) {
    if (Status status = check_after(contender); !status) return status;
  }
  return turn;
}

// In a test at a fixed frequency, over the whole cell.
Status CellRun::clock_stood_still(const CardTurn& turn) {
  if (protocol_.test != TestType::kFixedFrequency) return {};
  for (const CardReading* reading : {&turn.before, &turn.after}) {
    if (!reading->sm_mhz) continue;
    if (!locked_mhz_) locked_mhz_ = reading->sm_mhz;
    if (*reading->sm_mhz == *locked_mhz_) continue;
    return {
        StatusCode::kDeviceError,
        fmt::format("the SM clock moved from {} to {} MHz in a test at a fixed frequency; let the "
                    "card's owner lock it below what the power limit allows",
                    *locked_mhz_, *reading->sm_mhz)};
  }
  return {};
}

Result<std::vector<std::int64_t>> CellRun::take_samples(Contender& contender) {
  const int count = contender.lead_in + contender.samples;
  Result<std::vector<std::int64_t>> samples = contender.timer->samples(count);
  if (!samples) return samples;
  Status status = check_samples(*samples, static_cast<std::size_t>(count));
  if (!status) return status;
  samples->erase(samples->begin(), samples->begin() + contender.lead_in);
  return samples;
}

Result<std::vector<std::int64_t>> CellRun::take_flushed_samples(Contender& contender, int count) {
  std::vector<std::int64_t> samples_ns;
  for (int i = 0; i < count; ++i) {
    // The flush is queued before the call, so the device is busy while the host enqueues it.
    if (Status status = bench_.device.flush_cache(protocol_.flush); !status) return status;
    Result<std::vector<std::int64_t>> one = contender.timer->samples(1);
    if (!one) return one.status();
    if (Status status = check_samples(*one, 1); !status) return status;
    samples_ns.push_back(one->front());
    const auto pause =
        static_cast<std::int64_t>(protocol_.pause * static_cast<double>(one->front()));
    if (pause > 0) bench_.clock.sleep_ns(std::min(pause, kLongestPause_ns));  // to cool down
  }
  return samples_ns;
}

// The last set in full; sets of one sign hold the same operands, so the same bits stand for the
// same verdict, and what differs (the other sign, sums in another order, no work done) is checked
// in full.
Result<CheckRecord> CellRun::check_launched_sets(const Contender& contender) {
  Result<CheckRecord> record = check_set(*expected_, *operands_, contender.last_set);
  if (!record || !record->passed) return record;
  std::optional<std::uint64_t> right[2];
  const Result<std::uint64_t> last = operands_->checksum_d(contender.last_set);
  if (!last) return last.status();
  right[OperandSets::d_negated(contender.last_set)] = *last;
  for (std::int64_t set = 0; set < static_cast<std::int64_t>(contender.launched.size()); ++set) {
    if (!contender.launched[static_cast<std::size_t>(set)] || set == contender.last_set) continue;
    const Result<std::uint64_t> sum = operands_->checksum_d(set);
    if (!sum) return sum.status();
    std::optional<std::uint64_t>& same = right[OperandSets::d_negated(set)];
    if (same && *same == *sum) continue;
    Result<CheckRecord> other = check_set(*expected_, *operands_, set);
    if (!other || !other->passed) return other;
    if (!same) same = *sum;
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
  if (Status status = operands_->fill(*protocol_.fill, protocol_.seed); !status) return status;
  return {StatusCode::kDeviceError, "wrong result after the timing: " + record->failure};
}

}  // namespace tilewright::measure
