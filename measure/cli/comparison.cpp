#include "measure/cli/comparison.h"
#include "measure/cli/parse.h"

#include <fmt/format.h>

#include <utility>

#include "measure/cli/progress.h"
#include "measure/cli/result_table.h"
#include "measure/record/journal.h"
#include "measure/record/json.h"
#include "measure/record/write_file.h"

namespace tilewright::measure::cli {
namespace {

std::size_t count_cells(const std::vector<Group>& groups) {
  std::size_t cells = 0;
  for (const Group& group : groups) cells += group.problems.size();
  return cells;
}

RunFile empty_run(const Session& session, const Comparison& comparison) {
  RunFile run;
  run.provenance = provenance_of(session.command, session.built, comparison.chosen.device);
  run.device = comparison.chosen.device;
  run.warmup_ms = comparison.protocol.warmup_ms;
  run.rounds = comparison.protocol.rounds;
  run.samples_per_round = comparison.protocol.samples_per_round;
  return run;
}

// Each group is a comparison of its own: its problems share their implementations. The long warm-up
// is for the first group alone, while the device is cold.
Status measure_groups(const Comparison& comparison, Journal& journal, ProgressLine& line) {
  const std::size_t all_cells = count_cells(comparison.groups);
  std::size_t before = 0;
  double elapsed_before_s = 0, elapsed_s = 0;
  Protocol protocol = comparison.protocol;
  for (const Group& group : comparison.groups) {
    Status kept;
    Progress progress;
    progress.step = [&](std::size_t cell, std::size_t cells, const std::string& doing,
                        double spent_s, double left_s) {
      elapsed_s = elapsed_before_s + spent_s;
      // What is left is known of this group alone, so it is told for a last group only.
      const bool last = before + cells == all_cells;
      line.show(doing, {before + cell, all_cells, elapsed_s, last ? left_s : -1});
    };
    progress.cell_done = [&](const Cell& cell) {
      if (kept.ok()) kept = journal.add(cell);
    };
    const auto done =
        compare({group.problems, group.ids, comparison.chosen.device, protocol}, progress);
    if (!done) return done.status();
    if (!kept.ok()) return kept;
    before += group.problems.size();
    elapsed_before_s = elapsed_s;
    protocol.first_warmup_ms = protocol.warmup_ms;
    if (done->size() < group.problems.size()) {
      return {StatusCode::kDeviceError,
              fmt::format("the run ended early, after {} of {} cells: the device was lost",
                          journal.run().cells.size(), all_cells)};
    }
  }
  return {};
}

}  // namespace

void add_output(CLI::App& command, OutputWords& words) {
  command.add_option("--out", words.out, "result file: raw samples and provenance as JSON")
      ->check(refuse_empty)
      ->type_name("FILE");
  add_format(command, words.format);
  command.add_flag("--quiet", words.quiet, "no progress line");
}

Exit run_comparison(const Session& session, const Comparison& comparison,
                    const OutputWords& words) {
  const Format format = format_of(words.format);
  if (!words.out.empty()) {
    if (const Status writable = check_writable(words.out); !writable.ok()) {
      wrong_usage(fmt::format("--out: {}", writable.message()));
    }
  }
  tell(comparison.chosen);
  Journal journal(empty_run(session, comparison), words.out);
  if (!comparison.protocol.check) {
    require(journal.warn("results were not verified, as the command line asked"));
  }
  Status measured;
  {
    ProgressLine line(words.quiet);
    measured = measure_groups(comparison, journal, line);
  }
  const RunFile& run = journal.run();
  if (run.cells.empty()) require(measured);
  if (format == Format::kJson) {
    print_out(layout_json(to_json(run)));
  } else {
    Table table = result_table(run);
    table.notes.push_back(words.out.empty()
                              ? "The raw samples were not kept; --out FILE keeps them."
                              : fmt::format("Raw samples and provenance: {}", words.out));
    print_out(render(table, format));
  }
  require(measured);
  return outcome_of(run);
}

}  // namespace tilewright::measure::cli
