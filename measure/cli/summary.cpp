#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/ratios.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string file, against, by, ours = "tilewright", format;
  std::vector<std::string> where;
};

RunFile read_or_fail(const std::string& path) {
  Result<RunFile> run = read_run(path);
  if (!run) throw Failure{Exit::kInvalid, run.status().message()};
  if (run->cells.empty()) {
    throw Failure{Exit::kInvalid, fmt::format("'{}' holds 0 cells: nothing to sum up", path)};
  }
  return *std::move(run);
}

Json group_to_json(const RatioGroup& group, const Words& words) {
  Json json = Json::object();
  if (!words.by.empty()) json[words.by] = group.key;
  json["against"] = words.against;
  json["geomean"] = group.geomean;
  json["min"] = group.min;
  json["cells"] = group.cells;
  return json;
}

std::string as_json(const RatioAnswer& found, const Words& words) {
  if (words.by.empty()) return layout_json(group_to_json(found.groups.front(), words));
  Json list = Json::array();
  for (const RatioGroup& group : found.groups) list.push_back(group_to_json(group, words));
  return layout_json(list);
}

Table as_table(const RatioAnswer& found, const RatioQuery& query, const Words& words) {
  Table table;
  if (!words.by.empty()) table.columns.push_back({words.by, words.by, true});
  table.columns.insert(table.columns.end(), {{"against", "against"},
                                             {"geomean", "geomean", true},
                                             {"minimum", "min", true},
                                             {"cells", "cells", true}});
  for (const RatioGroup& group : found.groups) {
    std::vector<Value>& row = table.rows.emplace_back();
    if (!words.by.empty()) {
      row.push_back(group.key.is_string() ? text_value(group.key.get<std::string>())
                                          : integer_value(group.key.get<std::int64_t>()));
    }
    row.push_back(text_value(words.against));
    row.push_back(number_value(group.geomean, 4));
    row.push_back(number_value(group.min, 4));
    row.push_back(integer_value(group.cells));
  }
  table.notes.push_back(fmt::format(
      "Speed of {} over {}; above 1 {} is faster.", query.ours,
      query.against.empty() ? "the fastest peer of each cell"
      : query.against.size() == 1
          ? query.against.front()
          : fmt::format("the fastest of {} in each cell", fmt::join(query.against, ", ")),
      query.ours));
  return table;
}

Exit work(const Words& words) {
  const Format format = format_of(words.format);
  const RunFile run = read_or_fail(words.file);
  RatioQuery query;
  const std::vector<std::string> ids = ids_of(run);
  query.ours = id_in_file("--ours", words.ours, ids);
  if (words.against != "best") {
    for (const std::string& word : split_list("--against", words.against)) {
      query.against.push_back(id_in_file("--against", word, ids));
      if (query.against.back() == query.ours) {
        wrong_usage(fmt::format("--against: '{}' is ours; name another implementation", word));
      }
    }
  }
  query.by = words.by;
  query.where = words.where;
  const RatioAnswer found = answer(run, query);
  for (const std::string& warning : found.warnings) fmt::print(stderr, "warning: {}\n", warning);
  print_out(format == Format::kJson ? as_json(found, words)
                                    : render(as_table(found, query, words), format));
  return found.ours_failed ? Exit::kFailure : Exit::kOk;
}

}  // namespace

void add_summary(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("summary", "Geometric mean and minimum of ours over a peer, from a file");
  const auto words = std::make_shared<Words>();
  command->add_option("FILE", words->file, "a result file of compare")->required();
  command
      ->add_option("--against", words->against,
                   "a peer, the fastest of several, or best: the fastest of all peers of each cell")
      ->type_name("ID[,ID..]|best")
      ->required();
  command->add_option("--ours", words->ours, "whose speed is told (tilewright)")->type_name("ID");
  command->add_option("--by", words->by, "a row for each value of: m, n, k, dtype, layout, ..")
      ->type_name("KEY");
  command->add_option("--where", words->where, "only cells where m=1024,2048 or dtype=f16, ..")
      ->type_name("KEY=VALUE");
  add_format(*command, words->format);
  command->footer(
      "\nExamples:\n  tilewright summary FILE --against best --by m\n"
      "  tilewright summary FILE --against cublaslt-first --ours gemm-cuda-ladder-v4 --where k=64");
  command->callback([&session, words] { session.work = [words] { return work(*words); }; });
}

}  // namespace tilewright::measure::cli
