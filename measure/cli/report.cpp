#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/ids.h"
#include "measure/cli/methods.h"
#include "measure/cli/parse.h"
#include "measure/cli/python_host.h"
#include "measure/cli/ratios.h"
#include "measure/cli/result_table.h"
#include "measure/cli/steps.h"
#include "measure/peers/python.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string file, table = "cells", against = "cublaslt-first", format;
  std::string steps =
      "gemm-cuda-ladder-v0,gemm-cuda-ladder-v1,gemm-cuda-ladder-v2,gemm-cuda-ladder-v3,"
      "gemm-cuda-ladder-v4";
  std::string pictures;
  bool steps_given = false;
};

// The rows go to the program that draws as its standard input.
[[noreturn]] void draw(const Words& words, const RunFile& run) {
  const Result<std::string> python = find_python({"matplotlib"});
  if (!python) throw Failure{Exit::kFailure, "--pictures: " + python.status().message()};
  const std::string rows = render(result_table(run), Format::kJson);
  std::FILE* file = std::tmpfile();
  if (file == nullptr || std::fwrite(rows.data(), 1, rows.size(), file) != rows.size() ||
      std::fflush(file) != 0 || lseek(fileno(file), 0, SEEK_SET) != 0 ||
      dup2(fileno(file), STDIN_FILENO) < 0) {
    throw Failure{Exit::kFailure, "--pictures: there is no room for a temporary file"};
  }
  go_on_in_python(*python, {"tilewright_pictures", words.file, words.pictures});
}

Exit work(const Words& words) {
  const Format format = format_of(words.format);
  const std::map<std::string, Table (*)(const RunFile&)> plain = {{"cells", result_table},
                                                                  {"methods", methods_table}};
  const auto chosen = plain.find(words.table);
  if (chosen == plain.end() && words.table != "steps") {
    wrong_usage(
        fmt::format("--table: '{}' is not accepted; give cells, methods or steps", words.table));
  }
  Result<RunFile> run = read_run(words.file);
  if (!run) throw Failure{Exit::kInvalid, run.status().message()};
  if (run->cells.empty()) {
    throw Failure{Exit::kInvalid, fmt::format("'{}' holds 0 cells: nothing to report", words.file)};
  }
  if (chosen != plain.end()) {
    if (words.steps_given) {
      wrong_usage(
          fmt::format("--steps is not accepted with --table {}; give --table steps", words.table));
    }
    if (!words.pictures.empty()) draw(words, *run);
    print_out(render(chosen->second(*run), format));
    return Exit::kOk;
  }
  if (!words.pictures.empty()) wrong_usage("--pictures is not accepted with --table steps");
  const std::vector<std::string> ids = ids_of(*run);
  StepsQuery query;
  for (const std::string& word : split_list("--steps", words.steps)) {
    query.steps.push_back(id_in_file("--steps", word, ids));
  }
  query.against = id_in_file("--against", words.against, ids);
  print_out(render(steps_table(*run, query, format), format));
  return Exit::kOk;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("report", "Tables from a result file, without measuring");
  const auto words = std::make_shared<Words>();
  command->add_option("FILE", words->file, "a result file of compare")->required();
  command
      ->add_option(
          "--table", words->table,
          "cells: what compare printed; methods: how far clocks and regimes differ; steps: "
          "share of a peer's speed and gain over the step before (cells)")
      ->type_name("cells|methods|steps");
  auto* steps =
      command->add_option("--steps", words->steps, "kernels in order (the GEMM ladder, v0 to v4)")
          ->type_name("ID,ID");
  command->add_option("--against", words->against, "the peer of the shares (cublaslt-first)")
      ->type_name("ID");
  command
      ->add_option("--pictures", words->pictures,
                   "instead of a table: throughput, roofline, distributions and the card's traces "
                   "as SVG and PNG (needs a Python with matplotlib)")
      ->type_name("FOLDER")
      ->check(refuse_empty);
  add_format(*command, words->format);
  command->footer(
      "\nExample:\n  tilewright report benchmarks/results/h200/ladder.json --table steps --format "
      "markdown");
  command->callback([&session, words, steps] {
    words->steps_given = steps->count() > 0;
    session.work = [words] { return work(*words); };
  });
}

}  // namespace tilewright::measure::cli
