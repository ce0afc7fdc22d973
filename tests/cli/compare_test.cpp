// compare and bench from end to end on the CPU, at sizes that take milliseconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <utility>

#include "measure/record/json.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

ToolRun quick(Words words, const Words& more) {
  const Words protocol = {
      "--device", "cpu",        "--rounds",    "2",           "--samples",
      "2",        "--quiet",    "--warmup-ms", "1",           "--first-warmup-ms",
      "1",        "--rotation", "0",           "--sample-us", "10"};
  words.insert(words.end(), protocol.begin(), protocol.end());
  words.insert(words.end(), more.begin(), more.end());
  return run_tool_binary(words);
}

TEST(Compare, ends_in_a_verified_table_and_a_file_that_validates) {
  const ScratchFolder folder;
  const std::string out = folder.path("a file.json");
  const ToolRun run =
      quick({"compare", "gemm"}, {"--m", "32", "--n", "31", "--k", "30", "--out", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("32x31x30 f32"));
  EXPECT_THAT(run.out, HasSubstr("yes ("));
  EXPECT_THAT(folder.names(), ElementsAre("a file.json"));

  const auto read = read_run(out);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->cells.size(), 1u);
  const Cell& cell = read->cells[0];
  ASSERT_EQ(cell.entries.size(), 3u);  // tilewright, openblas, onednn: present or missing
  EXPECT_EQ(cell.entries[0].id, "tilewright");
  EXPECT_EQ(cell.entries[0].status, "ok") << cell.entries[0].reason;
  EXPECT_TRUE(cell.entries[0].check_before.passed && cell.entries[0].check_after.passed);
  EXPECT_EQ(cell.entries[0].check_before.elements, 32 * 31);
  EXPECT_EQ(cell.entries[0].rounds_ns.size(), 2u);
  EXPECT_THAT(read->calls.at(0).provenance.command_line, HasSubstr("compare gemm --device cpu"));
  EXPECT_NE(read->calls.at(0).provenance.git_commit, "");
  EXPECT_EQ(run_tool_binary({"report", out}).exit_code, 0);
}

TEST(Compare, prints_its_run_as_json_and_its_table_as_csv) {
  const ToolRun json = quick({"compare", "gemm"}, {"--sizes", "8,9", "--format", "json"});
  const auto read = run_from_json(json.out);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->cells.size(), 2u);

  const ToolRun csv = quick({"compare", "gemm"}, {"--sizes", "8", "--format", "csv"});
  const auto rows = parse_csv(csv.out);
  ASSERT_EQ(rows.size(), 4u) << csv.out;
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST(Compare, only_names_who_takes_part_by_short_ids_too) {
  const ToolRun run = quick({"compare", "gemm"}, {"--sizes", "8", "--only",
                                                  "gemm-reference,tilewright", "--format", "json"});
  const auto read = run_from_json(run.out);
  ASSERT_TRUE(read.ok()) << run.err;
  ASSERT_EQ(read->cells[0].entries.size(), 2u);
  EXPECT_EQ(read->cells[0].entries[0].id, "gemm-cpu-reference");
  EXPECT_EQ(read->cells[0].entries[1].id, "tilewright");
}

TEST(Compare, a_suite_says_who_takes_part_in_what) {
  const ScratchFolder folder;
  const std::string suite = folder.write("s.toml", R"(
name = "small"
ids = ["tilewright", "gemm-cpu-reference"]
dtype = "f32"
[[problem]]
sizes = [8, 9]
skip = ["gemm-reference"]
[[problem]]
m = 4
n = 5
k = 6
layout = "nn"
out = "f16"
)");
  const ToolRun run = quick({"compare", "gemm"}, {"--suite", suite, "--format", "json"});
  const auto read = run_from_json(run.out);
  ASSERT_TRUE(read.ok()) << run.err;
  ASSERT_EQ(read->cells.size(), 3u);
  EXPECT_EQ(read->cells[1].entries.size(), 1u);
  EXPECT_EQ(read->cells[2].entries.size(), 2u);
  EXPECT_EQ(read->cells[2].problem.b.order, Order::kRowMajor);
  EXPECT_EQ(read->cells[2].problem.d.type, DType::kF16);
}

TEST(Compare, a_malformed_suite_is_refused_with_its_place) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"name = \"s\"\n[[problem]]\nm = 4 4\n", ":3:"},
      {"name = \"s\"\n[[problem]]\nsizes = [8, \"9\"]\n", ":3:13: "},
      {"name = \"s\"\n[[problem]]\nsizes = [8, -9]\n", ":3:13: "},
      {"name = \"s\"\n[[problem]]\nsizes = [8]\nwidth = 3\n", ":4:1: 'width' is not a key"},
      {"name = \"s\"\n[[problem]]\nm = 4\nn = 4\n", "m, n and k"},
      {"name = \"s\"\n[[problem]]\nm = 4\nn = []\nk = 4\n", ":4:5: a list of sizes"},
      {"name = \"s\"\n[[problem]]\nm = 4\nn = [3, 0]\nk = 4\n", ":4:9: "},
      {"name = \"s\"\ndtype = \"f17\"\n[[problem]]\nsizes = [8]\n", ":2:9: dtype: 'f17'"},
      {"name = \"s\"\n", "lacks a [[problem]]"},
      {"[[problem]]\nsizes = [8]\n", "lacks a name"},
      {"name = \"s\"\n[[problem]]\nsizes = [8]\nskip = [\"openblass\"]\n", "openblas"}};
  for (const auto& [text, said] : wrong) {
    const ScratchFolder folder;
    const std::string suite = folder.write("s.toml", text);
    const ToolRun run = quick({"compare", "gemm"}, {"--suite", suite});
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(said));
  }
}

TEST(Compare, sizes_of_a_suite_may_be_lists) {
  const ScratchFolder folder;
  const std::string suite = folder.write("s.toml", R"(
name = "lists"
ids = ["tilewright"]
dtype = "f32"
[[problem]]
m = [1, 2]
n = 5
k = [6, 7]
)");
  const ToolRun run = quick({"compare", "gemm"}, {"--suite", suite, "--format", "json"});
  const auto read = run_from_json(run.out);
  ASSERT_TRUE(read.ok()) << run.err;
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const Cell& cell : read->cells) found.emplace_back(cell.problem.m, cell.problem.k);
  EXPECT_THAT(found,
              ElementsAre(std::pair(1, 6), std::pair(2, 6), std::pair(1, 7), std::pair(2, 7)));
}

TEST(Compare, the_committed_suites_are_suites) {
  for (const auto& file :
       std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/benchmarks/suites")) {
    const std::string path = file.path();
    if (file.path().extension() != ".toml" || file.path().stem() == "ladder") continue;
    // Understood, and refused at the last step before measuring.
    const ToolRun run = run_tool_binary(
        {"compare", "gemm", "--device", "cpu", "--suite", path, "--out", "/nonexistent/x"});
    // (Or the largest problem is more than this machine's memory holds.)
    EXPECT_THAT(run.err, testing::AnyOf(HasSubstr("'/nonexistent/x' cannot be written"),
                                        HasSubstr("GiB of memory; give a smaller problem")))
        << path;
  }
  const std::string ladder = TILEWRIGHT_SOURCE_DIR "/benchmarks/suites/ladder.toml";
  EXPECT_THAT(run_tool_binary({"compare", "gemm", "--device", "cpu", "--suite", ladder}).err,
              HasSubstr("gemm-cuda-ladder-v0 runs on cuda, not on cpu"));
}

TEST(Compare, a_peer_from_a_shared_object_takes_part) {
  const ToolRun run = quick({"compare", "gemm"}, {"--sizes", "24", "--only", "tilewright,naive",
                                                  "--peer", TILEWRIGHT_NAIVE_PEER});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("three loops"));
  const ToolRun missing = quick({"compare", "gemm"}, {"--sizes", "24", "--peer", "/nowhere.so"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--peer: '/nowhere.so' does not load"));
}

TEST(Compare, keeps_to_the_cpus_it_is_given) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  const ScratchFolder folder;
  const std::string out = folder.path("one.json");
  const ToolRun one =
      quick({"compare", "gemm"}, {"--sizes", "8", "--cpus", std::to_string(first), "--out", out});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  const auto read = read_run(out);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->card.cpu->usable_cpus, 1);
  EXPECT_EQ(read->device.cpu.cores, 1);
  for (const char* wrong : {"x", "1-", "3-1", "-1", "1023", "99999", "0,,1"}) {
    const ToolRun run = quick({"compare", "gemm"}, {"--sizes", "8", "--cpus", wrong});
    EXPECT_EQ(run.exit_code, 2) << wrong;
    EXPECT_THAT(run.err, HasSubstr("--cpus")) << wrong;
  }
}

TEST(Bench, verifies_when_asked_and_says_when_not) {
  const Words one = {"bench", "gemm", "--kernel", "gemm-cpu-reference"};
  const ToolRun plain = quick(one, {"--sizes", "8"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("not checked"));
  EXPECT_THAT(plain.out, HasSubstr("warning: results were not verified"));
  EXPECT_THAT(quick(one, {"--sizes", "8", "--verify"}).out, HasSubstr("yes ("));
}

}  // namespace
}  // namespace tilewright::measure::test
