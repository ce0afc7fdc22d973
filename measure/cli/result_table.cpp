#include "measure/cli/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "measure/cli/ids.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The time of the fastest peer of a cell; NaN where no peer was timed.
double best_peer_ns(const Cell& cell) {
  double best = kNothing;
  for (const Entry& entry : cell.entries) {
    if (entry.status != "ok" || is_ours(entry.id)) continue;
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

std::vector<Value> row_of(const Cell& cell, const Entry& entry, double best_ns, bool on_cpu) {
  const bool timed = entry.status == "ok";
  const auto figure = [&](double value, int decimals) {
    return number_value(timed ? value : kNothing, decimals);
  };
  const GemmProblem& p = cell.problem;
  return {text_value(label_of(p)),
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
          verified(entry),
          timed && was_checked(entry) ? number_value(error_over_bound(entry), 3) : Value{},
          text_value(entry.status),
          entry.reason.empty() ? Value{} : text_value(entry.reason)};
}

// Programs read every column; people the ones that are not said elsewhere in the table.
const std::vector<std::string> kForPrograms = {
    "m", "n", "k", "fastest_us", "slowest_us", "error_over_bound", "status", "reason"};

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
          {"verified", "verified"},
          {"error/bound", "error_over_bound", true},
          {"status", "status"},
          {"reason", "reason"}};
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
    for (const std::string& note : cell.notes) {
      once(fmt::format("note: {}: {}", label_of(cell.problem), note));
    }
  }
  for (const std::string& warning : run.warnings) once("warning: " + warning);
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
    if (column.key == "whiskers") column.readers = Readers::kPeople;
  }
  for (const Cell& cell : run.cells) {
    if (!table.rows.empty()) table.rules.push_back(table.rows.size());
    const double best_ns = best_peer_ns(cell);
    for (const Entry& entry : cell.entries) {
      table.rows.push_back(row_of(cell, entry, best_ns, on_cpu));
    }
  }
  add_notes(run, table);
  return table;
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
