#include "measure/cli/result_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "measure/cli/ids.h"
#include "measure/protocol/compare.h"
#include "measure/record/label.h"
#include "measure/stats/order.h"
#include "measure/stats/speed_of_light.h"
#include "measure/stats/verdict.h"

namespace tilewright::measure::cli {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The time of the fastest peer of a cell; NaN where no peer was timed.
double best_peer_ns(const Cell& cell) {
  double best = kNothing;
  for (const Entry& entry : cell.entries) {
    if (entry.status != "ok" || is_ours(entry.id) || entry.id.ends_with(kAgain)) continue;
    if (!(entry.time_ns >= best)) best = entry.time_ns;
  }
  return best;
}

// The larger of the checks before and after the timing.
double error_over_bound(const Entry& entry) {
  return std::max(entry.check_before.max_error_over_bound, entry.check_after.max_error_over_bound);
}

Value whiskers(const Entry& entry) {
  if (entry.status != "ok") return {};
  const std::string shown =
      fmt::format("{:.2f}..{:.2f}", entry.fastest_ns * 1e-3, entry.slowest_ns * 1e-3);
  return {shown, nullptr};
}

Value verified(const Entry& entry) {
  if (entry.status != "ok") return text_value(entry.status);
  if (!was_checked(entry)) return text_value("not checked");
  if (!entry.check_before.passed || !entry.check_after.passed) return text_value("FAILED");
  // The full output of a large product on the CPU would take minutes to check.
  const bool sampled = entry.check_before.reference == "float64-sample";
  return {fmt::format("{} ({:.2f} of bound)", sampled ? "sample" : "yes", error_over_bound(entry)),
          sampled ? "sample" : "yes"};
}

// Time over that of the entry which the cell's verdicts are about, with its interval.
struct AgainstBase {
  RatioInterval interval;
  std::string verdict;  // empty where there is nothing to compare
};

AgainstBase against_base(const Cell& cell, const Entry& entry) {
  AgainstBase found;
  if (entry.status != "ok" || entry.id == cell.against) return found;
  for (const Entry& base : cell.entries) {
    if (base.id != cell.against || base.status != "ok") continue;
    const VerdictRule rule;
    found.interval = paired_ratio(entry.round_medians_ns, base.round_medians_ns, rule.confidence,
                                  rule.seed, rule.resamples);
    const std::size_t rounds = std::min(entry.rounds_ns.size(), base.rounds_ns.size());
    found.verdict = name_of(verdict_of(found.interval, rounds, rule.same_within));
  }
  return found;
}

Value shown_ratio(const AgainstBase& found) {
  if (found.verdict.empty()) return {};
  return {fmt::format("{:.3f} [{:.3f}, {:.3f}] {}", found.interval.ratio, found.interval.low,
                      found.interval.high, found.verdict),
          nullptr};
}

// "87 % arithmetic": share of the speed of light at the settled clock, and which side binds.
Value shown_light(const SpeedOfLight& light, double time_ns) {
  if (!light.time_ns) return {};
  return {fmt::format("{:.0f} % {}", 100 * *light.time_ns / time_ns, light.binds), nullptr};
}

double energy_uj(const Entry& entry) {
  if (!entry.energy) return kNothing;
  return 1e3 * static_cast<double>(entry.energy->energy_mj) /
         static_cast<double>(entry.energy->launches);
}

std::vector<Value> row_of(const RunFile& run, const Cell& cell, const Entry& entry, double best_ns,
                          bool on_cpu) {
  const bool timed = entry.status == "ok";
  const auto figure = [&](double value, int decimals) {
    return number_value(timed ? value : kNothing, decimals);
  };
  const GemmProblem& p = cell.problem;
  const AgainstBase base = against_base(cell, entry);
  const auto of_ratio = [&](double value) {
    return number_value(base.verdict.empty() ? kNothing : value, 4);
  };
  const SpeedOfLight light =
      timed ? speed_of_light(p, run.device, entry.settled_mhz, run.bandwidths) : SpeedOfLight{};
  return {
      text_value(label_of(p)),
      integer_value(p.m),
      integer_value(p.n),
      integer_value(p.k),
      text_value(entry.id),
      entry.kernel.empty() ? Value{} : text_value(entry.kernel),
      figure(entry.time_ns * 1e-3, 2),
      whiskers(entry),
      figure(entry.fastest_ns * 1e-3, 2),
      figure(entry.slowest_ns * 1e-3, 2),
      figure(on_cpu ? entry.tflops * 1e3 : entry.tflops, 1),
      figure(best_ns / entry.time_ns, 3),
      shown_ratio(base),
      of_ratio(base.interval.ratio),
      of_ratio(base.interval.low),
      of_ratio(base.interval.high),
      base.verdict.empty() ? Value{} : text_value(base.verdict),
      shown_light(light, entry.time_ns),
      figure(light.time_ns ? *light.time_ns / entry.time_ns : kNothing, 3),
      light.binds.empty() ? Value{} : text_value(light.binds),
      figure(entry.settled_mhz.value_or(kNothing), 0),
      figure(energy_uj(entry), 1),
      figure(energy_uj(entry) * 1e6 / flops_of(p), 3),
      text_value(cell.is_cold() ? "cold" : "warm"),
      verified(entry),
      timed && was_checked(entry) ? number_value(error_over_bound(entry), 3) : Value{},
      text_value(entry.status),
      entry.reason.empty() ? Value{} : text_value(entry.reason),
      entry.flags.empty() ? Value{} : text_value(fmt::format("{}", fmt::join(entry.flags, "; ")))};
}

// Columns of people in which no row has a value are left out.
void drop_empty_columns(Table& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (table.columns[column].readers == Readers::kPrograms) continue;
    const bool any = std::any_of(table.rows.begin(), table.rows.end(),
                                 [&](const auto& row) { return row[column].shown != "-"; });
    if (any) continue;
    if (table.columns[column].readers == Readers::kAll) {
      table.columns[column].readers = Readers::kPrograms;
      continue;
    }
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

// Programs read every column; people the ones that are not said elsewhere in the table.
const std::vector<std::string> kForPrograms = {
    "m",          "n",       "k",    "fastest_us", "slowest_us", "ratio",       "ratio_low",
    "ratio_high", "verdict", "cold", "of_light",   "binds",      "pj_per_flop", "error_over_bound",
    "status",     "reason",  "flags"};
const std::vector<std::string> kForPeople = {"whiskers", "ratio_shown", "light_shown"};

std::vector<Column> all_columns(bool on_cpu) {
  return {{"problem", "problem"},
          {"m", "m", true},
          {"n", "n", true},
          {"k", "k", true},
          {"implementation", "implementation"},
          {"kernel", "kernel"},
          {"time us", "time_us", true},
          {"fastest..slowest", "whiskers", true},
          {"fastest us", "fastest_us", true},
          {"slowest us", "slowest_us", true},
          {on_cpu ? "GFLOP/s" : "TFLOP/s", on_cpu ? "gflops" : "tflops", true},
          {"of best peer", "of_best_peer", true},
          {"time over the first's", "ratio_shown", true},
          {"ratio", "ratio", true},
          {"ratio from", "ratio_low", true},
          {"ratio to", "ratio_high", true},
          {"verdict", "verdict"},
          {"of light", "light_shown", true},
          {"of light", "of_light", true},
          {"binds", "binds"},
          {"SM MHz", "sm_mhz", true},
          {"uJ", "energy_uj", true},
          {"pJ/FLOP", "pj_per_flop", true},
          {"operands", "cold"},
          {"verified", "verified"},
          {"error/bound", "error_over_bound", true},
          {"status", "status"},
          {"reason", "reason"},
          {"flags", "flags"}};
}

// What a neighbour does to the next one's time, where it is as large as what counts as equal.
template <class Once>
void add_carry_over(const Cell& cell, Once& once) {
  constexpr double kWorthTelling = 0.01;
  std::vector<std::vector<double>> medians;
  for (const Entry& entry : cell.entries) medians.push_back(entry.round_medians_ns);
  std::vector<std::vector<std::size_t>> orders;
  for (const auto& round : cell.order) orders.emplace_back(round.begin(), round.end());
  for (const CarryOver& each : carry_over(orders, medians)) {
    if (std::fabs(each.effect) < kWorthTelling) continue;
    once(fmt::format("carry-over: {}: times right after {} are {:+.1f} %", label_of(cell.problem),
                     cell.entries[each.predecessor].id, 100 * each.effect));
  }
}

// What an A/A control says of the whole run.
template <class Once>
void add_aa_control(const RunFile& run, Once& once) {
  const VerdictRule rule;
  std::vector<RatioInterval> intervals;
  std::size_t rounds = 0;
  for (const Cell& cell : run.cells) {
    for (const Entry& twin : cell.entries) {
      if (twin.status != "ok" || !twin.id.ends_with(kAgain)) continue;
      for (const Entry& entry : cell.entries) {
        if (entry.status != "ok" || entry.id + std::string(kAgain) != twin.id) continue;
        intervals.push_back(paired_ratio(twin.round_medians_ns, entry.round_medians_ns,
                                         rule.confidence, rule.seed, rule.resamples));
        rounds = std::min(twin.rounds_ns.size(), entry.rounds_ns.size());
      }
    }
  }
  if (intervals.empty()) return;
  const AaControl control = aa_control(intervals, rounds, rule.same_within);
  once(
      fmt::format("A/A control: {} false alarms in {} cells; the smallest difference that every "
                  "cell can show is {:.1f} %",
                  control.false_alarms, control.cells, 100 * control.smallest_visible));
}

void add_notes(const RunFile& run, Table& table) {
  std::vector<std::string>& notes = table.notes;
  const auto once = [&](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  };
  bool peers = false;
  for (const Cell& cell : run.cells) {
    once(fmt::format("{}, {}, regime {}, timer {}, fill {}.", run.device.name, cell.op, cell.regime,
                     cell.timer, cell.fill));
    if (cell.entries.size() > 1 && !cell.against.empty()) {
      once(
          fmt::format("time over the first's: over that of {}, median of the rounds' ratios, with "
                      "its interval; SAME is within 1 %.",
                      cell.against));
    }
    peers = peers || best_peer_ns(cell) > 0;
  }
  if (peers) {
    once(
        "of best peer: speed over that of the fastest peer of the same problem; above 1 is faster "
        "than every peer.");
  }
  for (const Cell& cell : run.cells) {
    for (const Entry& entry : cell.entries) {
      if (entry.status == "missing") once(fmt::format("missing: {}: {}", entry.id, entry.reason));
    }
  }
  for (const Cell& cell : run.cells) {
    for (const Entry& entry : cell.entries) {
      if (entry.status != "failed" && entry.status != "unsupported") continue;
      once(fmt::format("{}: {} on {}: {}", entry.status, entry.id, label_of(cell.problem),
                       entry.reason));
    }
    for (const Entry& entry : cell.entries) {
      for (const std::string& flag : entry.flags) {
        once(fmt::format("flag: {} on {}: {}", entry.id, label_of(cell.problem), flag));
      }
      if (entry.triple) {
        once(fmt::format("cache: {} on {}: {:.2f} us hot, {:.2f} rotated, {:.2f} flushed", entry.id,
                         label_of(cell.problem), entry.triple->hot_ns * 1e-3,
                         entry.triple->rotated_ns * 1e-3, entry.triple->flushed_ns * 1e-3));
      }
      if (!entry.padding.empty()) {
        once(fmt::format("padding: {} on {}: {}", entry.id, label_of(cell.problem), entry.padding));
      }
    }
    add_carry_over(cell, once);
    for (const std::string& note : cell.notes) {
      once(fmt::format("note: {}: {}", label_of(cell.problem), note));
    }
  }
  std::set<std::string_view> precisions;
  for (const Cell& cell : run.cells) precisions.insert(name_of(cell.problem.d.type));
  if (precisions.size() > 1) {
    once(fmt::format("mixed: outputs are {}; times of different precision are not to be compared",
                     fmt::join(precisions, " and ")));
  }
  for (const std::string& warning : run.warnings) once("warning: " + warning);
  add_aa_control(run, once);
  if (!run.card.missing.empty()) once("not measured: " + run.card.missing);
  if (run.device.backend == Backend::kCpu) {
    once("not known: a CPU's arithmetic peak, so its speed of light is that of the bytes alone");
  }
}

}  // namespace

bool was_checked(const Entry& entry) {
  return !entry.check_before.reference.empty();
}

Table result_table(const RunFile& run) {
  const bool on_cpu = run.device.backend == Backend::kCpu;
  Table table;
  table.columns = all_columns(on_cpu);
  for (Column& column : table.columns) {
    const auto found = std::find(kForPrograms.begin(), kForPrograms.end(), column.key);
    if (found != kForPrograms.end()) column.readers = Readers::kPrograms;
    if (std::find(kForPeople.begin(), kForPeople.end(), column.key) != kForPeople.end()) {
      column.readers = Readers::kPeople;
    }
  }
  for (const Cell& cell : run.cells) {
    if (!table.rows.empty()) table.rules.push_back(table.rows.size());
    const double best_ns = best_peer_ns(cell);
    for (const Entry& entry : cell.entries) {
      table.rows.push_back(row_of(run, cell, entry, best_ns, on_cpu));
    }
  }
  drop_empty_columns(table);
  add_notes(run, table);
  return table;
}

bool has_flags(const RunFile& run) {
  for (const Cell& cell : run.cells) {
    for (const Entry& entry : cell.entries) {
      if (!entry.flags.empty()) return true;
    }
  }
  return false;
}

Exit outcome_of(const RunFile& run) {
  bool any_timed = false;
  for (const Cell& cell : run.cells) {
    for (const Entry& entry : cell.entries) {
      if (is_ours(entry.id) && entry.status == "failed") return Exit::kFailure;
      any_timed = any_timed || entry.status == "ok";
    }
  }
  return any_timed ? Exit::kOk : Exit::kFailure;
}

}  // namespace tilewright::measure::cli
