// The result file: what is written is read back, and what is wrong in it is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "measure/record/journal.h"
#include "measure/record/json.h"
#include "measure/record/label.h"
#include "measure/record/provenance.h"
#include "measure/record/table.h"
#include "measure/record/write_file.h"
#include "tests/cli/made_run.h"

namespace tilewright::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

RunFile small_run() {
  RunFile run = test::made_run(
      {test::made_cell(2, 2, 2,
                       {test::made_entry("tilewright", 100), test::made_entry("openblas", 150),
                        test::untimed_entry("onednn", "missing",
                                            "no library, or so; \"dlopen\" said:\nnot found")})});
  run.cells[0].notes = {"a note"};
  run.cells[0].seed = std::numeric_limits<std::uint64_t>::max();
  run.warnings = {"a warning"};
  return run;
}

std::string refusal(const Json& json) {
  const auto run = run_from_json(json.dump());
  return run ? "accepted" : run.status().message();
}

TEST(ResultFile, what_is_written_is_read_back) {
  const RunFile run = small_run();
  const std::string text = layout_json(to_json(run));
  const auto read = run_from_json(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(layout_json(to_json(*read)), text);
  ASSERT_EQ(read->cells.size(), 1u);
  const Cell& cell = read->cells[0];
  EXPECT_EQ(cell.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(cell.problem.b.order, Order::kColMajor);
  EXPECT_EQ(cell.entries[1].rounds_ns, (std::vector<std::vector<std::int64_t>>{{150}, {150}}));
  EXPECT_EQ(cell.entries[0].time_ns, 100);
  EXPECT_EQ(cell.entries[2].reason, run.cells[0].entries[2].reason);
}

TEST(ResultFile, a_gpu_keeps_all_its_facts) {
  RunFile run = small_run();
  run.device = *card("h200");
  run.device.gpu.uuid = "GPU-1";
  const auto read = run_from_json(to_json(run).dump());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->device.backend, Backend::kCuda);
  EXPECT_EQ(read->device.gpu.sm_count, run.device.gpu.sm_count);
  EXPECT_EQ(to_json(*read), to_json(run));
}

TEST(ResultFile, what_is_not_a_number_is_null_and_reads_as_nan) {
  RunFile run = small_run();
  run.cells[0].entries[0].check_before.relative_l2 = std::nan("");
  const Json json = to_json(run);
  EXPECT_TRUE(json["cells"][0]["entries"][0]["check_before"]["relative_l2"].is_null());
  const auto read = run_from_json(json.dump());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(std::isnan(read->cells[0].entries[0].check_before.relative_l2));
}

TEST(ResultFile, B06_an_untimed_entry_has_null_numbers_and_its_reason) {
  const Json json = Json::parse(layout_json(to_json(small_run())));
  const Json& entry = json["cells"][0]["entries"][2];
  for (const char* key : {"launches_per_sample", "rounds_ns", "round_medians_ns", "time_ns",
                          "fastest_ns", "slowest_ns", "tflops", "energy", "turns"}) {
    EXPECT_TRUE(entry.at(key).is_null()) << key;
  }
  EXPECT_EQ(entry["reason"], "no library, or so; \"dlopen\" said:\nnot found");
}

TEST(ResultFile, a_text_that_is_not_utf8_does_not_lose_the_run) {
  RunFile run = small_run();
  run.calls[0].provenance.host_os = "caf\xe9";
  EXPECT_TRUE(run_from_json(layout_json(to_json(run))).ok());
}

TEST(ResultFile, every_field_is_missed_and_told_by_its_pointer) {
  const Json whole = to_json(small_run()).flatten();
  std::size_t tried = 0;
  for (const auto& [pointer, value] : whole.items()) {
    const Json::json_pointer place(pointer);
    const Json::json_pointer parent = place.parent_pointer();
    Json json = to_json(small_run());
    if (!json[parent].is_object()) continue;
    // Only the GPU of a CPU's run may be left out.
    if (pointer == "/device/gpu") continue;
    json[parent].erase(place.back());
    ++tried;
    EXPECT_THAT(refusal(json), HasSubstr("lacks the field '" + place.back() + "'")) << pointer;
    EXPECT_THAT(refusal(json), StartsWith(parent.empty() ? "the top level" : parent.to_string()));
    json = to_json(small_run());
    json[place] = Json::object();
    EXPECT_THAT(refusal(json), StartsWith(pointer)) << "mistyped";
  }
  EXPECT_GT(tried, 80u);
}

TEST(ResultFile, figures_that_the_samples_do_not_give_are_refused) {
  const std::string entry = "/cells/0/entries/0/";
  for (const char* key : {"time_ns", "fastest_ns", "slowest_ns", "tflops", "round_medians_ns/1"}) {
    Json json = to_json(small_run());
    Json& figure = json[Json::json_pointer(entry + key)];
    figure = figure.get<double>() * 1.01;
    EXPECT_THAT(refusal(json), StartsWith(entry + key + " is ")) << key;
    EXPECT_THAT(refusal(json), HasSubstr("the samples give"));
  }
  Json json = to_json(small_run());
  json[Json::json_pointer(entry + "rounds_ns/0/0")] = 90;
  EXPECT_THAT(refusal(json), HasSubstr("the samples give"));
}

TEST(ResultFile, wrong_values_are_refused) {
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"/schema_version", 1},
      {"/device/backend", "tpu"},
      {"/cells/0/op", "attention"},
      {"/cells/0/problem/m", 0},
      {"/cells/0/problem/m", 2.5},
      {"/cells/0/problem/m", std::numeric_limits<std::uint64_t>::max()},
      {"/cells/0/problem/a/type", "f17"},
      {"/cells/0/problem/a/order", "diagonal"},
      {"/cells/0/seed", -1},
      {"/cells/0/entries/0/status", "fine"},
      {"/cells/0/entries/0/rounds_ns", Json::array()},
      {"/cells/0/entries/0/rounds_ns/0", Json::array()},
      {"/cells/0/entries/0/rounds_ns/0/0", 0},
      {"/cells/0/entries/0/rounds_ns/0/0", -5},
      {"/cells/0/regime", "hot"},
      {"/cells/0/test", "free"},
      {"/cells/0/cache", "cold"},
      {"/cells/0/cold", true},
      {"/cells/0/call", 1},
      {"/cells/0/entries/0/settled_mhz", 1500},
      {"/cells/0/entries/2/reason", ""},
      {"/cells/0/entries/2/time_ns", 0}};
  for (const auto& [pointer, value] : wrong) {
    Json json = to_json(small_run());
    json[Json::json_pointer(pointer)] = value;
    EXPECT_THAT(refusal(json), StartsWith(pointer)) << value;
  }
  // What failed its check has no time.
  for (const char* check : {"check_before", "check_after"}) {
    Json json = to_json(small_run());
    Json& entry = json["cells"][0]["entries"][0];
    entry[check]["reference"] = "plain-loops";
    entry[check]["passed"] = false;
    EXPECT_THAT(refusal(json), StartsWith(std::string("/cells/0/entries/0/") + check));
    entry[check]["passed"] = true;
    entry[check]["max_error_over_bound"] = 7.5;
    EXPECT_THAT(refusal(json), StartsWith(std::string("/cells/0/entries/0/") + check));
  }
  Json twice = to_json(small_run());
  twice["cells"][0]["entries"][1]["id"] = twice["cells"][0]["entries"][0]["id"];
  EXPECT_THAT(refusal(twice), StartsWith("/cells/0/entries/1/id"));
  EXPECT_THAT(run_from_json("{\"schema_version\": 2,").status().message(), HasSubstr("line 1"));
  EXPECT_THAT(run_from_json("[]").status().message(), HasSubstr("must be an object"));
}

class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilewright-record-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path().filename());
    return all;
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(WriteFile, replaces_the_whole_and_leaves_nothing_beside_it) {
  const fs::path path = folder_ / "with space.json";
  ASSERT_TRUE(write_whole_file(path, "a long first text").ok());
  ASSERT_TRUE(write_whole_file(path, "second").ok());
  EXPECT_EQ(text_of(path), "second");
  EXPECT_EQ(names(), std::vector<std::string>{"with space.json"});
}

TEST_F(WriteFile, a_check_leaves_no_trace) {
  EXPECT_TRUE(check_writable(folder_ / "x.json").ok());
  EXPECT_TRUE(names().empty());
}

TEST_F(WriteFile, a_link_keeps_pointing_at_its_file) {
  ASSERT_TRUE(write_whole_file(folder_ / "real.json", "old").ok());
  fs::create_symlink(folder_ / "real.json", folder_ / "link.json");
  ASSERT_TRUE(write_whole_file(folder_ / "link.json", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  EXPECT_EQ(text_of(folder_ / "real.json"), "new");
}

TEST_F(WriteFile, what_cannot_be_written_is_told) {
  ASSERT_TRUE(write_whole_file(folder_ / "file", "").ok());
  for (const fs::path& path : {folder_ / "none" / "x.json", folder_, folder_ / "file" / "x.json",
                               fs::path("/dev/null"), fs::path("")}) {
    EXPECT_THAT(check_writable(path).message(), HasSubstr("cannot be written: ")) << path;
    EXPECT_FALSE(write_whole_file(path, "x").ok()) << path;
  }
}

TEST_F(WriteFile, the_journal_is_whole_after_each_cell) {
  const fs::path path = folder_ / "run.json";
  const RunFile run = small_run();
  RunFile empty = run;
  empty.cells.clear();
  Journal journal(empty, path);
  EXPECT_TRUE(names().empty()) << "nothing was measured yet";
  for (std::size_t cells = 1; cells <= 2; ++cells) {
    Cell cell = run.cells[0];
    cell.problem.m = static_cast<std::int64_t>(cells);
    for (int again = 0; again < 2; ++again) {  // the same cell takes the place of the old one
      ASSERT_TRUE(journal.add(cell).ok());
      const auto read = read_run(path);
      ASSERT_TRUE(read.ok()) << read.status().message();
      EXPECT_EQ(read->cells.size(), cells);
    }
  }
}

Table small_table() {
  Table table;
  table.columns = {{"Name", "name"}, {"Time", "time", true}, {"Why", "why"}};
  table.rows = {{text_value("plain"), number_value(1.25, 1), Value{}},
                {text_value("größer"), Value{}, text_value("a, \"b\"\nand | c")}};
  return table;
}

TEST(Tables, B06_the_four_forms) {
  EXPECT_EQ(render(small_table(), Format::kCsv),
            "name,time,why\r\nplain,1.25,\r\ngrößer,,\"a, \"\"b\"\"\nand | c\"\r\n");
  const Json json = Json::parse(render(small_table(), Format::kJson));
  EXPECT_EQ(json[0], (Json{{"name", "plain"}, {"time", 1.25}, {"why", nullptr}}));
  EXPECT_EQ(json[1]["why"], "a, \"b\"\nand | c");
  EXPECT_TRUE(json[1]["time"].is_null());
  EXPECT_EQ(render(small_table(), Format::kMarkdown),
            "| Name | Time | Why |\n|---|---:|---|\n| plain | 1.2 | - |\n"
            "| größer | - | a, \"b\" and \\| c |\n");
  EXPECT_EQ(render(small_table(), Format::kTable),
            "Name    Time  Why\n------  ----  --------------\nplain    1.2  -\n"
            "größer     -  a, \"b\" and | c\n");
}

TEST(Labels, name_what_departs_from_the_default) {
  GemmProblem problem = default_gemm(4, 5, 6, DType::kF16, DType::kF16);
  EXPECT_EQ(label_of(problem), "4x5x6 f16");
  problem.b = {.type = DType::kF16, .order = Order::kRowMajor, .ld = 7};
  problem.d.type = DType::kF32;
  problem.batch = 3;
  EXPECT_EQ(label_of(problem), "4x5x6 f16->f32 nn batch 3 ldb=7");
}

TEST(Provenance, the_commit_of_the_build_comes_first) {
  ASSERT_EQ(setenv("TILEWRIGHT_GIT_COMMIT", "beef-dirty", 1), 0);
  EXPECT_EQ(resolve_commit({"cafe", false}).commit, "cafe");
  EXPECT_EQ(resolve_commit({}).commit, "beef");
  EXPECT_TRUE(resolve_commit({}).dirty);
  unsetenv("TILEWRIGHT_GIT_COMMIT");
  const auto told = provenance_of({"tilewright", "--out", "a b's", ""}, {}, cpu_device());
  EXPECT_EQ(told.command_line, "tilewright --out 'a b'\\''s' ''");
  EXPECT_EQ(told.git_commit, "unknown");
  EXPECT_THAT(told.date_utc, testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

}  // namespace
}  // namespace tilewright::measure
