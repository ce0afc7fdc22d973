// The ladder's table: its figures, and that the README's is the one its file gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "measure/record/json.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;

TEST(LadderTable, shares_gains_and_takeaways) {
  const ScratchFolder folder;
  const std::string file = folder.write(
      "ladder.json",
      layout_json(to_json(made_run(
          {made_cell(
               64, 64, 64,
               {made_entry("gemm-cuda-ladder-v1", 800), made_entry("gemm-cuda-ladder-v2", 200),
                made_entry("gemm-cuda-ladder-v3", 160), made_entry("cublaslt-first", 100)}),
           made_cell(128, 64, 64,
                     {made_entry("gemm-cuda-ladder-v2", 300), made_entry("cublaslt-first", 150),
                      made_entry("gemm-cuda-ladder-v3", 150)})}))));
  const std::string steps = "gemm-ladder-v1,gemm-ladder-v2,gemm-ladder-v3";
  const ToolRun people = run_tool_binary(
      {"report", file, "--table", "steps", "--steps", steps, "--format", "markdown"});
  EXPECT_EQ(people.exit_code, 0) << people.err;
  EXPECT_THAT(people.out, HasSubstr("| step | 64x64x64 f16 | 128x64x64 f16 | takeaway |\n"));
  EXPECT_THAT(people.out, HasSubstr("| v1 | 12.5 % | - | shared-memory tiles"));
  EXPECT_THAT(people.out, HasSubstr("| v2 | 50.0 % (4.00x) | 50.0 % | tensor cores"));
  EXPECT_THAT(people.out, HasSubstr("| v3 | 62.5 % (1.25x) | 100.0 % (2.00x) | cp.async"));

  const ToolRun programs =
      run_tool_binary({"report", file, "--table", "steps", "--steps", steps, "--format", "json"});
  const Json list = Json::parse(programs.out);
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[2].at("gain"), 1.25);
  EXPECT_TRUE(list[3].at("share").is_null());
  EXPECT_EQ(run_tool_binary({"report", file, "--table", "steps"}).exit_code, 2) << "no v0 there";
}

TEST(LadderTable, of_the_readme_comes_from_the_committed_file) {
  const std::string root = TILEWRIGHT_SOURCE_DIR;
  const std::string file = root + "/benchmarks/results/h200/ladder.json";
  const std::string readme = read_text(root + "/README.md");
  const std::string begin = "<!-- table: ladder -->\n", end = "<!-- end -->";
  const std::size_t start = readme.find(begin);
  ASSERT_EQ(std::filesystem::exists(file), start != std::string::npos)
      << "the file and the README's table belong together";
  if (start == std::string::npos) return;
  const std::size_t stop = readme.find(end, start);
  ASSERT_NE(stop, std::string::npos);
  const ToolRun run = run_tool_binary({"report", file, "--table", "steps", "--format", "markdown"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(readme.substr(start + begin.size(), stop - start - begin.size()), run.out);
}

}  // namespace
}  // namespace tilewright::measure::test
