#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/parse.h"
#include "measure/record/journal.h"
#include "measure/record/json.h"
#include "measure/record/label.h"
#include "measure/stats/verdict.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string old_file, new_file, format, within, confidence;
};

RunFile read_or_fail(const std::string& path) {
  Result<RunFile> run = read_run(path);
  if (!run) throw Failure{Exit::kInvalid, run.status().message()};
  return *std::move(run);
}

const Entry* entry_of(const Cell* cell, const std::string& id) {
  if (cell == nullptr) return nullptr;
  for (const Entry& entry : cell->entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

const Cell* matching(const RunFile& run, const Cell& wanted) {
  for (const Cell& cell : run.cells) {
    if (same_cell(cell, wanted)) return &cell;
  }
  return nullptr;
}

// A baseline holds for one card, one driver and one way of measuring; everything that differs is
// told at once.
void refuse_differences(const RunFile& before, const RunFile& after) {
  std::vector<std::string> found;
  const auto differ = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b) found.push_back(fmt::format("{} is '{}' and '{}'", what, a, b));
  };
  differ("the backend", std::string(name_of(before.device.backend)),
         std::string(name_of(after.device.backend)));
  differ("the driver", before.card.driver_version, after.card.driver_version);
  const auto values = [](const RunFile& run, auto of) {
    std::vector<std::string> all;
    for (const Cell& cell : run.cells) all.push_back(of(cell));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return fmt::format("{}", fmt::join(all, ", "));
  };
  const auto each = [&](const char* what, auto of) {
    differ(what, values(before, of), values(after, of));
  };
  each("the device", [](const Cell& cell) { return cell.device_uuid; });
  each("the regime", [](const Cell& cell) { return cell.regime; });
  each("the timer", [](const Cell& cell) { return cell.timer; });
  each("the test", [](const Cell& cell) { return cell.test; });
  each("the cache treatment", [](const Cell& cell) { return cell.cache + " " + cell.flush; });
  each("the fill", [](const Cell& cell) { return cell.fill; });
  each("the seed", [](const Cell& cell) { return fmt::to_string(cell.seed); });
  // What was done to the cache may be the same words, and have worked in one of them only.
  const auto warmth = [](const Cell& cell) { return cell.is_cold() ? "cold" : "warm"; };
  for (const Cell& cell : before.cells) {
    const Cell* now = matching(after, cell);
    if (now != nullptr) differ(label_of(cell.problem).c_str(), warmth(cell), warmth(*now));
  }
  if (!found.empty()) {
    throw Failure{Exit::kInvalid,
                  fmt::format("the files cannot be compared: {}", fmt::join(found, "; "))};
  }
}

struct Row {
  const Cell* cell;
  const Entry* before;
  const Entry* after;  // null where it took no part
  RatioInterval interval;
  std::string verdict;
};

std::string why_lost(const Entry* entry) {
  return entry == nullptr ? "it took no part" : fmt::format("{}: {}", entry->status, entry->reason);
}

// All that were timed in the old file. A cell that the new one leaves out is not compared; an
// implementation that lost its time in a cell that is there is a regression.
std::vector<Row> rows_of(const RunFile& before, const RunFile& after, const VerdictRule& rule) {
  std::vector<Row> rows;
  for (const Cell& cell : before.cells) {
    const Cell* now = matching(after, cell);
    if (now == nullptr) {
      fmt::print(stderr, "warning: {} is not in the new file\n", label_of(cell.problem));
      continue;
    }
    for (const Entry& entry : cell.entries) {
      if (entry.status != "ok") continue;
      Row row{&cell, &entry, entry_of(now, entry.id), {}, "LOST"};
      if (row.after != nullptr && row.after->status == "ok") {
        row.interval = unpaired_ratio(row.after->round_medians_ns, entry.round_medians_ns, rule);
        row.verdict = name_of(
            verdict_of(row.interval,
                       std::min(row.after->round_medians_ns.size(), entry.round_medians_ns.size()),
                       rule.same_within));
      } else {
        fmt::print(stderr, "warning: {}: {} lost its time: {}\n", label_of(cell.problem), entry.id,
                   why_lost(row.after));
      }
      rows.push_back(row);
    }
  }
  return rows;
}

// There is nothing to hold them against, so they are told and do not count.
void tell_new(const RunFile& before, const RunFile& after) {
  for (const Cell& cell : after.cells) {
    const Cell* then = matching(before, cell);
    if (then == nullptr) {
      fmt::print(stderr, "warning: {} is not in the old file\n", label_of(cell.problem));
      continue;
    }
    for (const Entry& entry : cell.entries) {
      const Entry* old = entry_of(then, entry.id);
      if (entry.status != "ok" || (old != nullptr && old->status == "ok")) continue;
      fmt::print(stderr, "warning: {}: {} is new, and not compared\n", label_of(cell.problem),
                 entry.id);
    }
  }
}

Table table_of(const std::vector<Row>& rows) {
  Table table;
  table.columns = {{"problem", "problem"},
                   {"implementation", "implementation"},
                   {"old us", "old_us", true},
                   {"new us", "new_us", true},
                   {"old TFLOP/s", "old_tflops", true},
                   {"new TFLOP/s", "new_tflops", true},
                   {"old MHz", "old_mhz", true},
                   {"new MHz", "new_mhz", true},
                   {"new/old", "ratio", true},
                   {"from", "ratio_low", true},
                   {"to", "ratio_high", true},
                   {"verdict", "verdict"}};
  for (const Row& row : rows) {
    const bool timed = row.verdict != "LOST";
    const auto of = [](bool there, double value, int decimals) {
      return there ? number_value(value, decimals) : Value{};
    };
    const auto mhz = [&](const Entry* entry) {
      return of(entry != nullptr && entry->settled_mhz.has_value(),
                entry == nullptr ? 0 : entry->settled_mhz.value_or(0), 0);
    };
    table.rows.push_back(
        {text_value(label_of(row.cell->problem)), text_value(row.before->id),
         number_value(row.before->time_ns * 1e-3, 2),
         of(timed, timed ? row.after->time_ns * 1e-3 : 0, 2), number_value(row.before->tflops, 2),
         of(timed, timed ? row.after->tflops : 0, 2), mhz(row.before),
         mhz(timed ? row.after : nullptr), of(timed, row.interval.ratio, 4),
         of(timed, row.interval.low, 4), of(timed, row.interval.high, 4), text_value(row.verdict)});
  }
  return table;
}

Exit work(const Words& words) {
  const Format format = format_of(words.format);
  VerdictRule rule;
  if (!words.within.empty()) rule.same_within = parse_real("--within", words.within, 0, 1);
  if (!words.confidence.empty()) {
    rule.confidence = parse_real("--confidence", words.confidence, 0.5, 0.999);
  }
  const RunFile before = read_or_fail(words.old_file), after = read_or_fail(words.new_file);
  refuse_differences(before, after);
  const std::vector<Row> rows = rows_of(before, after, rule);
  tell_new(before, after);
  if (rows.empty()) {
    throw Failure{Exit::kInvalid, "the files have 0 timed cells in common: nothing to compare"};
  }
  const auto count = [&](std::string_view verdict) {
    return std::count_if(rows.begin(), rows.end(),
                         [&](const Row& row) { return row.verdict == verdict; });
  };
  Table table = table_of(rows);
  table.notes.push_back(fmt::format(
      "{} slower, {} lost, {} undecided, {} the same within {:.3g} %, {} faster.", count("SLOWER"),
      count("LOST"), count("UNDECIDED"), count("SAME"), 100 * rule.same_within, count("FASTER")));
  print_out(render(table, format));
  if (count("SLOWER") + count("LOST") > 0) return Exit::kFailure;
  return count("UNDECIDED") > 0 ? Exit::kUndecided : Exit::kOk;
}

}  // namespace

void add_gate(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("gate", "Whether anything became slower between two files");
  const auto words = std::make_shared<Words>();
  command->add_option("OLD", words->old_file, "a result file of compare: the baseline")->required();
  command->add_option("NEW", words->new_file, "a result file of the same device and regime")
      ->required();
  command->add_option("--within", words->within, "ratios closer to 1 count as equal (0.01)")
      ->type_name("X");
  command->add_option("--confidence", words->confidence, "of the interval of a ratio (0.95)")
      ->type_name("X");
  add_format(*command, words->format);
  command->footer(
      "\nExit codes: 0 nothing slower, 1 slower or lost, 3 undecided, 4 no valid comparison.\n\n"
      "Example:\n  tilewright gate baseline.json today.json --within 0.02");
  command->callback([&session, words] { session.work = [words] { return work(*words); }; });
}

}  // namespace tilewright::measure::cli
