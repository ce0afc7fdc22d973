// The command line: help without a GPU, and every wrong word refused in one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/tool_run.h"
#include "tilewright/device.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

const std::vector<Words> kWithoutGpu = {{"--help"},
                                        {"--version"},
                                        {"info"},
                                        {"info", "--help"},
                                        {"list"},
                                        {"list", "gemm"},
                                        {"list", "--help"},
                                        {"explain", "--help"},
                                        {"verify", "--help"},
                                        {"bench", "--help"},
                                        {"compare", "--help"},
                                        {"summary", "--help"},
                                        {"report", "--help"},
                                        {"info", "--format", "json"}};

TEST(Usage, B18_help_version_and_lists_need_no_gpu) {
  for (const Words& words : kWithoutGpu) {
    for (const Words& environment : {Words{}, Words{"CUDA_VISIBLE_DEVICES=-1"}}) {
      const ToolRun run = run_tool_binary(words, environment);
      EXPECT_EQ(run.exit_code, 0) << words[0] << ": " << run.err;
      EXPECT_FALSE(run.out.empty()) << words[0];
      EXPECT_EQ(run.err, "") << words[0];
    }
  }
  EXPECT_THAT(run_tool_binary({"--version"}).out, HasSubstr("tilewright 0."));
}

TEST(Usage, the_help_of_every_command_has_an_example) {
  for (const char* command :
       {"info", "list", "explain", "verify", "bench", "compare", "summary", "report"}) {
    EXPECT_THAT(run_tool_binary({command, "--help"}).out,
                HasSubstr(std::string("\n  tilewright ") + command));
  }
}

TEST(Usage, B19_no_gpu_where_one_was_asked_for) {
  for (const char* command : {"compare", "verify", "explain"}) {
    const ToolRun run =
        run_tool_binary({command, "gemm", "--device", "cuda", "--m", "8", "--n", "8", "--k", "8"},
                        {"CUDA_VISIBLE_DEVICES=-1"});
    EXPECT_EQ(run.exit_code, 5);
    EXPECT_THAT(run.err, HasSubstr("no usable CUDA device: "));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(run_tool_binary({"compare", "gemm", "--device", "sim"}).exit_code, 5);
}

TEST(Usage, B19_without_a_device_word_the_cpu_stands_in) {
  const ToolRun run =
      run_tool_binary({"verify", "gemm", "--m", "5", "--n", "6", "--k", "7", "--format", "csv"},
                      {"CUDA_VISIBLE_DEVICES=-1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no GPU: verifying on the CPU"));
  EXPECT_THAT(run.out, HasSubstr("tilewright,"));
}

struct Wrong {
  Words words;  // after `compare gemm --device cpu`
  std::string said;
};

const std::vector<Wrong> kWrong = {
    {{"--dtype", "f17"}, "'f17'"},
    {{"--dtype", "e4m3"}, "f32, f16 and bf16"},
    {{"--m", "-1", "--n", "8", "--k", "8"}, "--m: '-1'"},
    {{"--m=-1", "--n", "8", "--k", "8"}, "--m: '-1'"},
    {{"--m", "0", "--n", "8", "--k", "8"}, "--m: '0'"},
    {{"--m", "10x", "--n", "8", "--k", "8"}, "--m: '10x'"},
    {{"--m", "", "--n", "8", "--k", "8"}, "--m: ''"},
    {{"--m", "1e3", "--n", "8", "--k", "8"}, "--m: '1e3'"},
    {{"--m", "8", "--n", "8"}, "--k is not given"},
    {{"--sizes", "4611686018427387905"}, "'4611686018427387905'"},
    {{"--sizes", "99999999999999999999999"}, "'99999999999999999999999'"},
    {{"--sizes", "4611686018427387904"}, "too large"},
    {{"--sizes", "4000000"}, "GiB"},
    {{"--sizes", "1024,20a48"}, "'20a48' in '1024,20a48'"},
    {{"--sizes", "8,,9"}, "'8,,9'"},
    {{"--sizes", "8", "--m", "8", "--n", "8", "--k", "8"}, "exclude each other"},
    {{"--sizes", "8", "--lda", "4"}, "a.ld = 4"},
    {{"--sizes", "8", "--align", "3"}, "alignment_bytes = 3"},
    {{"--sizes", "8", "--layout", "xy"}, "'xy'"},
    {{"--sizes", "8", "--layout", "nn", "--b-order", "row"}, "excludes"},
    {{"--sizes", "8", "--rounds", "0"}, "--rounds: '0'"},
    {{"--sizes", "8", "--rotation", "nan"}, "--rotation: 'nan'"},
    {{"--sizes", "8", "--timer", "sundial"}, "'sundial'"},
    {{"--sizes", "8", "--regime", "warm"}, "'warm'"},
    {{"--sizes", "8", "--timer", "cupti"}, "timer cupti does not exist on device cpu"},
    {{"--sizes", "8", "--cache", "cold"}, "rotate or flush or warm"},
    {{"--sizes", "8", "--fill", "ones"}, "'ones'"},
    {{"--sizes", "8", "--fill", "file:/nonexistent"}, "'/nonexistent'"},
    {{"--sizes", "8", "--budget", "5 minutes"}, "--budget: '5 minutes'"},
    {{"--sizes", "8", "--confidence", "1"}, "--confidence: '1'"},
    {{"--sizes", "8", "--format", "yaml"}, "'yaml'"},
    {{"--sizes", "8", "--only", "openblas,openblas"}, "named twice"},
    {{"--sizes", "8", "--only", ""}, "--only: ''"},
    {{"--sizes", "8", "--frobnicate"}, "--frobnicate"},
    {{"--suite", "/nonexistent.toml"}, "'/nonexistent.toml'"}};

TEST(Usage, wrong_words_are_refused_in_one_sentence) {
  for (const Wrong& wrong : kWrong) {
    const ScratchFolder folder;
    Words words = {"compare", "gemm", "--device", "cpu", "--out", folder.path("out.json")};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    const ToolRun run = run_tool_binary(words);
    EXPECT_EQ(run.exit_code, 2) << wrong.said << run.err;
    EXPECT_THAT(run.err, HasSubstr(wrong.said));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(folder.names().empty()) << wrong.said;
  }
}

TEST(Usage, B20_what_matches_nothing_is_told_with_near_names) {
  const std::vector<Wrong> wrong = {
      {{"compare", "gemm", "--device", "cpu", "--only", "openblass"}, "openblas"},
      {{"compare", "gemm", "--device", "cpu", "--only", "cublaslt-first"},
       "runs on cuda, not on cpu"},
      {{"bench", "gemm", "--device", "cpu", "--kernel", "gemm-cpu-sim-packed", "--sizes", "8"},
       "gemm-cpu-simd-packed"},
      {{"compair", "gemm"}, "did you mean compare?"},
      {{"compare", "gem"}, "did you mean gemm?"},
      {{"explain", "gemm", "--m", "8", "--n", "8", "--k", "8", "--card", "h20"}, "h200"}};
  for (const Wrong& each : wrong) {
    const ToolRun run = run_tool_binary(each.words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(each.said));
  }
}

TEST(Usage, B20_a_size_that_no_implementation_takes) {
  const ToolRun run = run_tool_binary({"bench", "gemm", "--kernel", "gemm-simd-thin", "--sizes",
                                       "64", "--first-warmup-ms", "1", "--quiet"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("unsupported: gemm-cpu-simd-thin on 64x64x64 f32: "));
}

// An unset shell variable must not lose a run, or choose a device.
TEST(Usage, empty_words_are_not_absent_ones) {
  for (const Words& words :
       {Words{"compare", "gemm", "--sizes", "8", "--out", ""},
        Words{"compare", "gemm", "--sizes", "8", "--device", ""},
        Words{"explain", "gemm", "--m", "1", "--n", "1", "--k", "1", "--card", ""}}) {
    const ToolRun run = run_tool_binary(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(": '' is not accepted"));
  }
}

TEST(Usage, a_short_line_of_c_is_refused_where_c_counts) {
  Words words = {"verify", "gemm", "--device", "cpu", "--m",   "9",
                 "--n",    "8",    "--k",      "7",   "--ldc", "3"};
  EXPECT_EQ(run_tool_binary(words).exit_code, 0);
  words.insert(words.end(), {"--beta", "1"});
  const ToolRun run = run_tool_binary(words);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--ldc: 3 is too small for a line of 8 elements"));
}

TEST(Usage, an_empty_batch_is_right) {
  const ToolRun run = run_tool_binary(
      {"verify", "gemm", "--device", "cpu", "--m", "4", "--n", "4", "--k", "4", "--batch", "0"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
}

TEST(Usage, B20_a_problem_of_a_suite_that_nobody_takes_part_in_is_told) {
  const ScratchFolder folder;
  const std::string suite =
      folder.write("s.toml",
                   "name = \"s\"\ndescription = \"d\"\ndtype = \"f32\"\n"
                   "ids = [\"gemm-cpu-reference\"]\n"
                   "[[problem]]\nm = 8\nn = 8\nk = 8\nonly = [\"tilewright\"]\n"
                   "[[problem]]\nm = 9\nn = 9\nk = 9\n");
  const ToolRun run = run_tool_binary(
      {"verify", "gemm", "--device", "cpu", "--suite", suite, "--only", "gemm-cpu-reference"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("problem 8x8x8 f32 of suite 's' is left out"));
}

TEST(Usage, no_words_at_all) {
  const ToolRun run = run_tool_binary({});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--help"));
}

TEST(Usage, an_output_that_cannot_be_written_is_found_before_measuring) {
  const ScratchFolder folder;
  for (const std::string& path :
       {folder.path("none/x.json"), folder.path(""), std::string("/dev/null")}) {
    const ToolRun run =
        run_tool_binary({"compare", "gemm", "--device", "cpu", "--sizes", "8", "--out", path});
    EXPECT_EQ(run.exit_code, 2) << path;
    EXPECT_THAT(run.err, HasSubstr("cannot be written"));
    EXPECT_EQ(run.err.find("cell"), std::string::npos) << "measured before: " << run.err;
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(Usage, explain_names_the_kernel_and_why_not_the_others) {
  const ToolRun run = run_tool_binary({"explain", "gemm", "--m", "511", "--n", "470", "--k", "67",
                                       "--dtype", "f16", "--card", "h200", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto rows = parse_csv(run.out);
  ASSERT_GT(rows.size(), 5u);
  int taken = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 3u);
    taken += rows[i][1] == "taken";
    EXPECT_EQ(rows[i][1] == "taken", rows[i][2].empty()) << rows[i][0];
  }
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace tilewright::measure::test
