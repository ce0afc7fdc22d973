#include "measure/cli/comparison.h"
#include "measure/cli/parse.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "measure/cli/progress.h"
#include "measure/cli/python_host.h"
#include "measure/cli/result_table.h"
#include "measure/record/journal.h"
#include "measure/record/json.h"
#include "measure/record/write_file.h"

namespace tilewright::measure::cli {
namespace {

Call call_of(const Session& session, const Comparison& comparison) {
  const Protocol protocol =
      settled_protocol(comparison.passes.front(), comparison.chosen.device.backend);
  return {provenance_of(session.command, session.built, comparison.chosen.device),
          protocol.warmup_ms, protocol.rounds, *protocol.samples_per_round};
}

// The run that is there already, or a new one.
RunFile begun_run(const Session& session, const Comparison& comparison, const OutputWords& words) {
  const DeviceInfo& device = comparison.chosen.device;
  RunFile run;
  run.device = device;
  if (words.resume && std::filesystem::exists(words.out)) {
    Result<RunFile> old = read_run(words.out);
    if (!old) throw Failure{Exit::kInvalid, "--resume: " + old.status().message()};
    if (uuid_of(old->device) != uuid_of(device)) {
      throw Failure{Exit::kInvalid,
                    fmt::format("--resume: '{}' was measured on {} ({}), this is {} ({}); give "
                                "another --out",
                                words.out, old->device.name, uuid_of(old->device), device.name,
                                uuid_of(device))};
    }
    run = *std::move(old);
  }
  run.calls.push_back(call_of(session, comparison));
  return run;
}

// One pass a clock: CUPTI comes last, since what it adds to a launch stays for the process's life.
Status measure_passes(const Comparison& comparison, Journal& journal, ProgressLine& line) {
  double before_s = 0;
  for (const Protocol& protocol : comparison.passes) {
    Status kept;
    double elapsed_s = before_s;
    Progress progress;
    progress.step = [&](std::size_t cell, std::size_t cells, const std::string& doing,
                        double spent_s, double left_s) {
      elapsed_s = before_s + spent_s;
      // What is left is known of this pass alone, so it is told in the last one only.
      const bool last = &protocol == &comparison.passes.back();
      line.show(doing, {cell, cells, elapsed_s, last ? left_s : -1});
    };
    progress.opened = [&](const CardFacts& card, const Bandwidths& bandwidths) {
      journal.open(card, bandwidths);
    };
    progress.cell_done = [&](const Cell& cell) {
      if (kept.ok()) kept = journal.add(cell);
    };
    const auto done = compare(
        {comparison.groups, comparison.chosen.device, protocol, journal.run().cells}, progress);
    if (!done) return done.status();
    if (!kept.ok()) return kept;
    before_s = elapsed_s;
    if (!done->ended_early.empty()) {
      return {StatusCode::kDeviceError,
              fmt::format("the run ended early, with {} cells complete: {}",
                          journal.run().cells.size(), done->ended_early)};
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
  command.add_flag("--resume", words.resume,
                   "go on with the file of --out: only cells that it lacks are measured");
  command.add_flag("--strict", words.strict, "a flagged figure makes the exit code 1");
  command.add_flag("--quiet", words.quiet, "no progress line");
}

Exit run_comparison(const Session& session, const Comparison& comparison,
                    const OutputWords& words) {
  for (const CompareGroup& group : comparison.groups) enter_python(session, group.ids, {});
  const Format format = format_of(words.format);
  if (words.resume && words.out.empty()) wrong_usage("--resume: it needs --out FILE");
  if (!words.out.empty()) {
    if (const Status writable = check_writable(words.out); !writable.ok()) {
      wrong_usage(fmt::format("--out: {}", writable.message()));
    }
  }
  tell(comparison.chosen);
  Journal journal(begun_run(session, comparison, words), words.out);
  if (!comparison.passes.front().check) {
    require(journal.warn("results were not verified, as the command line asked"));
  }
  Status measured;
  {
    ProgressLine line(words.quiet);
    measured = measure_passes(comparison, journal, line);
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
  if (words.strict && has_flags(run)) return Exit::kFailure;
  return outcome_of(run);
}

}  // namespace tilewright::measure::cli
