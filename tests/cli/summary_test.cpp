// summary and report on result files with known numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/record/json.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

// Speeds of ours over a: 2, 0.5, 4; over b: 1, 2, -; over the faster of both: 1, 0.5, 4.
RunFile known_run() {
  return made_run(
      {made_cell(16, 8, 8,
                 {made_entry("tilewright", 100), made_entry("a", 200), made_entry("b", 100)}),
       made_cell(16, 8, 64,
                 {made_entry("tilewright", 100), made_entry("a", 50), made_entry("b", 200)}),
       made_cell(32, 8, 8,
                 {made_entry("tilewright", 100), made_entry("a", 400),
                  untimed_entry("b", "unsupported", "comma, \"quote\"\nand line"),
                  made_entry("gemm-cuda-ladder-v4", 10)})});
}

class Summary : public testing::Test {
 protected:
  std::string file(const RunFile& run) const {
    return folder_.write("run.json", layout_json(to_json(run)));
  }
  ToolRun summary(const Words& more, const RunFile& run = known_run()) const {
    Words words = {"summary", file(run)};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool_binary(words);
  }
  Json summary_json(Words more) const {
    more.insert(more.end(), {"--format", "json"});
    const ToolRun run = summary(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }

  ScratchFolder folder_;
};

void expect_group(const Json& json, double geomean, double min, int cells) {
  EXPECT_NEAR(json.at("geomean").get<double>(), geomean, 1e-12);
  EXPECT_NEAR(json.at("min").get<double>(), min, 1e-12);
  EXPECT_EQ(json.at("cells"), cells);
}

TEST_F(Summary, of_one_peer) {
  const Json json = summary_json({"--against", "a"});
  expect_group(json, std::cbrt(4.0), 0.5, 3);
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(json.at("against"), "a");
}

TEST_F(Summary, leaves_out_cells_without_the_peer_and_says_so) {
  const ToolRun run = summary({"--against", "b", "--format", "json"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("32x8x8 f16: left out"));
  expect_group(Json::parse(run.out), std::sqrt(2.0), 1, 2);
}

TEST_F(Summary, of_the_fastest_peer_never_a_kernel_of_ours) {
  expect_group(summary_json({"--against", "best"}), std::cbrt(2.0), 0.5, 3);
  expect_group(summary_json({"--against", "a,b"}), std::cbrt(2.0), 0.5, 3);
}

TEST_F(Summary, of_another_kernel_of_ours_by_its_short_id) {
  const Words one = {"--where", "m=32", "--ours", "gemm-ladder-v4"};
  Words against = one;
  against.insert(against.end(), {"--against", "a"});
  expect_group(summary_json(against), 40, 40, 1);
  against.back() = "tilewright";
  expect_group(summary_json(against), 10, 10, 1);
}

TEST_F(Summary, by_groups_with_their_keys) {
  const Json json = summary_json({"--against", "a", "--by", "m"});
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0].at("m"), 16);
  expect_group(json[0], 1, 0.5, 2);
  EXPECT_EQ(json[1].at("m"), 32);
  expect_group(json[1], 4, 4, 1);
}

TEST_F(Summary, where_all_conditions_hold) {
  expect_group(summary_json({"--against", "a", "--where", "m=16", "--where", "k=64"}), 0.5, 0.5, 1);
  expect_group(summary_json({"--against", "a", "--where", "m=16", "k=64"}), 0.5, 0.5, 1);
  expect_group(summary_json({"--against", "a", "--where", "m=16,32"}), std::cbrt(4.0), 0.5, 3);
  expect_group(summary_json({"--against", "a", "--where", "dtype=f16"}), std::cbrt(4.0), 0.5, 3);
}

TEST_F(Summary, says_what_does_not_exist) {
  const std::vector<std::tuple<Words, int, std::string>> wrong = {
      {{"--against", "mkl-next"}, 2, "'mkl-next'; known: tilewright, a, b, gemm-cuda-ladder-v4"},
      {{"--against", "a", "--ours", "tilewrigth"}, 2, "did you mean tilewright?"},
      {{"--against", "tilewright"}, 2, "is ours"},
      {{"--against", "a", "--where", "m=17"}, 4, "0 of 3 cells match; m is 16 or 32"},
      {{"--against", "a", "--where", "width=17"}, 2, "'width' is no key"},
      {{"--against", "a", "--where", "m"}, 2, "key=value"},
      {{"--against", "a", "--by", "width"}, 2, "'width' is no key"},
      {{"--against", "b", "--where", "m=32"}, 4, "0 cells have both"},
      {{}, 2, "--against is required"}};
  for (const auto& [words, code, said] : wrong) {
    const ToolRun run = summary(words);
    EXPECT_EQ(run.exit_code, code) << said;
    EXPECT_THAT(run.err, HasSubstr(said));
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(Summary, a_failure_of_ours_is_not_hidden) {
  RunFile run = known_run();
  run.cells[0].entries[0] = untimed_entry("tilewright", "failed", "wrong result");
  const ToolRun told = summary({"--against", "a"}, run);
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.err, HasSubstr("16x8x8 f16: left out: tilewright failed: wrong result"));
}

TEST_F(Summary, never_mixes_regimes_or_devices) {
  RunFile run = known_run();
  run.cells[1].regime = "isolated";
  const ToolRun mixed = summary({"--against", "a"}, run);
  EXPECT_EQ(mixed.exit_code, 4);
  EXPECT_THAT(mixed.err, HasSubstr("differ in regime (sustained, isolated)"));
  EXPECT_EQ(summary({"--against", "a", "--where", "regime=sustained"}, run).exit_code, 0);
  run = known_run();
  run.cells[2].device_uuid = "GPU-2";
  EXPECT_EQ(summary({"--against", "a"}, run).exit_code, 4);
}

TEST_F(Summary, unverified_figures_are_marked) {
  RunFile run = known_run();
  run.cells[0].entries[1].check_before = run.cells[0].entries[1].check_after = {};
  EXPECT_THAT(summary({"--against", "a"}, run).err, HasSubstr("16x8x8 f16: a was not verified"));
}

TEST_F(Summary, a_file_that_is_none_is_invalid) {
  Json json = to_json(known_run());
  json["cells"][0]["entries"][0]["time_ns"] = 1;
  for (const std::string& path : {folder_.write("edited.json", json.dump()),
                                  folder_.write("cut.json", json.dump().substr(0, 99)),
                                  folder_.path("none.json"), folder_.path("")}) {
    for (const Words& words : {Words{"summary", path, "--against", "a"}, Words{"report", path}}) {
      const ToolRun run = run_tool_binary(words);
      EXPECT_EQ(run.exit_code, 4) << path;
      EXPECT_THAT(run.err, HasSubstr("'" + path + "'"));
    }
  }
}

TEST_F(Summary, a_file_without_cells_is_invalid) {
  RunFile none = known_run();
  none.cells.clear();
  const ToolRun run = run_tool_binary({"summary", file(none), "--against", "a"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("holds 0 cells"));
}

TEST_F(Summary, outputs_of_different_precision_are_marked) {
  RunFile run = known_run();
  EXPECT_THAT(run_tool_binary({"report", file(run)}).out, testing::Not(HasSubstr("mixed:")));
  run.cells[1].problem = default_gemm(16, 8, 64, DType::kF16, DType::kF32);
  EXPECT_THAT(run_tool_binary({"report", file(run)}).out,
              HasSubstr("mixed: outputs are f16 and f32; times of different precision"));
}

TEST_F(Summary, steps_belong_to_their_table) {
  const ToolRun run = run_tool_binary({"report", file(known_run()), "--steps", "a"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--table steps"));
}

TEST_F(Summary, methods_are_set_against_each_other_on_one_card) {
  std::vector<Cell> cells;
  const struct {
    const char *regime, *timer;
    std::int64_t time_ns;
  } measured[] = {{"sustained", "events", 2000},
                  {"sustained", "cupti", 1000},
                  {"isolated", "events", 4000},
                  {"isolated", "cupti", 800},
                  {"isolated", "cupti", 1}};
  for (const auto& one : measured) {
    cells.push_back(made_cell(16, 8, 8, {made_entry("a", one.time_ns)}));
    cells.back().regime = one.regime;
    cells.back().timer = one.timer;
  }
  cells.push_back(made_cell(16, 8, 8, {made_entry("a", 7)}));
  cells.back().device_uuid = "GPU-2";
  cells.front().clock_overhead_ns = 1500;
  const std::string path = file(made_run(cells));
  const auto rows =
      parse_csv(run_tool_binary({"report", path, "--table", "methods", "--format", "csv"}).out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1],
            (Words{"16x8x8 f16", "a", "2.0", "1.0", "4.0", "0.8", "0.5", "0.2", "0.5", "1.25"}));
  EXPECT_EQ(rows[2], (Words{"16x8x8 f16", "a", "0.007", "", "", "", "", "", "", ""}));
  const std::string table = run_tool_binary({"report", path, "--table", "methods"}).out;
  EXPECT_THAT(table, HasSubstr("isolated: cupti / events: 0.200 to 0.200, median 0.200."));
  EXPECT_THAT(table, HasSubstr("sustained events: its clock reads 1.50 us around nothing"));
  EXPECT_EQ(run_tool_binary({"report", path, "--table", "clocks"}).exit_code, 2);
}

TEST_F(Summary, B06_report_keeps_untimed_rows_strictly) {
  const ToolRun csv = run_tool_binary({"report", file(known_run()), "--format", "csv"});
  const auto rows = parse_csv(csv.out);
  ASSERT_EQ(rows.size(), 11u) << csv.out;
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                    rows[0].begin());
  };
  const auto& untimed = rows[9];
  ASSERT_EQ(untimed.size(), rows[0].size());
  EXPECT_EQ(untimed[column("implementation")], "b");
  EXPECT_EQ(untimed[column("time_us")], "");
  EXPECT_EQ(untimed[column("reason")], "comma, \"quote\"\nand line");

  const ToolRun json = run_tool_binary({"report", file(known_run()), "--format", "json"});
  const Json list = Json::parse(json.out);
  EXPECT_TRUE(list[8]["time_us"].is_null());
  EXPECT_EQ(list[8]["reason"], "comma, \"quote\"\nand line");
}

}  // namespace
}  // namespace tilewright::measure::test
