#include "measure/cli/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

struct Takeaway {
  std::string_view id, name, text;
};

constexpr std::array kTakeaways = {
    Takeaway{"gemm-cuda-ladder-v0", "v0",
             "one output element a thread: every product pays two loads"},
    Takeaway{"gemm-cuda-ladder-v1", "v1",
             "shared-memory tiles, 8x8 outputs a thread: a value loaded is used many times"},
    Takeaway{"gemm-cuda-ladder-v2", "v2", "tensor cores (WMMA) under three levels of tiles"},
    Takeaway{"gemm-cuda-ladder-v3", "v3", "cp.async double buffering: copies hide behind products"},
    Takeaway{"gemm-cuda-ladder-v4", "v4",
             "XOR swizzle, ldmatrix and mma.sync: no bank conflicts, 32 KB instead of 37"},
};

const Takeaway* takeaway_of(const std::string& id) {
  const auto* found = std::find_if(kTakeaways.begin(), kTakeaways.end(),
                                   [&](const Takeaway& each) { return each.id == id; });
  return found == kTakeaways.end() ? nullptr : found;
}

double time_ns(const Cell& cell, const std::string& id) {
  for (const Entry& entry : cell.entries) {
    if (entry.id == id && entry.status == "ok") return entry.time_ns;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

struct Step {
  double ns, share, gain;  // NaN for what is not there
};

Step step_of(const Cell& cell, const StepsQuery& query, std::size_t index) {
  const double ns = time_ns(cell, query.steps[index]);
  const double before =
      index == 0 ? std::numeric_limits<double>::quiet_NaN() : time_ns(cell, query.steps[index - 1]);
  return {ns, time_ns(cell, query.against) / ns, before / ns};
}

// "52.9 % (1.21x)": share of the peer's speed, and gain over the step before where there is one.
Value shown_step(const Step& step) {
  if (!(step.share > 0)) return {};
  std::string shown = fmt::format("{:.1f} %", step.share * 100);
  if (step.gain > 0) shown += fmt::format(" ({:.2f}x)", step.gain);
  return {shown, nullptr};
}

Table for_people(const RunFile& run, const StepsQuery& query) {
  Table table;
  table.columns = {{"step", "step"}};
  for (const Cell& cell : run.cells) {
    table.columns.push_back({label_of(cell.problem), label_of(cell.problem), true});
  }
  table.columns.push_back({"takeaway", "takeaway"});
  for (std::size_t i = 0; i < query.steps.size(); ++i) {
    const Takeaway* takeaway = takeaway_of(query.steps[i]);
    std::vector<Value>& row = table.rows.emplace_back();
    row.push_back(text_value(takeaway ? std::string(takeaway->name) : query.steps[i]));
    for (const Cell& cell : run.cells) row.push_back(shown_step(step_of(cell, query, i)));
    row.push_back(takeaway ? text_value(std::string(takeaway->text)) : Value{});
  }
  const Cell& first = run.cells.front();
  table.notes.push_back(
      fmt::format("Share of {}'s speed; in brackets the gain over the step before. {}, regime {}, "
                  "timer {}, fill {}.",
                  query.against, run.device.name, first.regime, first.timer, first.fill));
  return table;
}

Table for_programs(const RunFile& run, const StepsQuery& query) {
  Table table;
  table.columns = {{"problem", "problem"},   {"step", "step"},       {"time us", "time_us", true},
                   {"share", "share", true}, {"gain", "gain", true}, {"takeaway", "takeaway"}};
  for (const Cell& cell : run.cells) {
    for (std::size_t i = 0; i < query.steps.size(); ++i) {
      const Step step = step_of(cell, query, i);
      const Takeaway* takeaway = takeaway_of(query.steps[i]);
      table.rows.push_back({text_value(label_of(cell.problem)), text_value(query.steps[i]),
                            number_value(step.ns * 1e-3, 2), number_value(step.share, 4),
                            number_value(step.gain, 4),
                            takeaway ? text_value(std::string(takeaway->text)) : Value{}});
    }
  }
  return table;
}

}  // namespace

Table steps_table(const RunFile& run, const StepsQuery& query, Format format) {
  const bool people = format == Format::kTable || format == Format::kMarkdown;
  return people ? for_people(run, query) : for_programs(run, query);
}

}  // namespace tilewright::measure::cli
