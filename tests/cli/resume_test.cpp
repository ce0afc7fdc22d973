// A run that is stopped goes on where it was, however it was stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "measure/record/json.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

Words words_of(const std::string& sizes, const std::string& out, const Words& more = {}) {
  Words words = {"compare",
                 "gemm",
                 "--device",
                 "cpu",
                 "--only",
                 "tilewright",
                 "--rounds",
                 "2",
                 "--samples",
                 "2",
                 "--warmup-ms",
                 "1",
                 "--rotation",
                 "0",
                 "--sample-us",
                 "10",
                 "--quiet",
                 "--first-warmup-ms",
                 "1",
                 "--sizes",
                 sizes,
                 "--out",
                 out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::int64_t> sizes_in(const std::string& path) {
  const Result<RunFile> run = read_run(path);
  EXPECT_TRUE(run) << run.status().message();
  std::vector<std::int64_t> sizes;
  if (run) {
    for (const Cell& cell : run->cells) sizes.push_back(cell.problem.m);
  }
  return sizes;
}

TEST(Resume, measures_what_is_missing_and_nothing_else) {
  const ScratchFolder folder;
  const std::string out = folder.path("run.json");
  ASSERT_EQ(run_tool_binary(words_of("8,9", out)).exit_code, 0);
  const Result<RunFile> before = read_run(out);
  ASSERT_EQ(run_tool_binary(words_of("8,9,10", out, {"--resume"})).exit_code, 0);
  EXPECT_THAT(sizes_in(out), testing::ElementsAre(8, 9, 10));
  const Result<RunFile> after = read_run(out);
  EXPECT_EQ(after->cells[0].entries[0].rounds_ns, before->cells[0].entries[0].rounds_ns);
  EXPECT_EQ(after->calls.size(), 2u);
  EXPECT_EQ(after->cells[1].call, 0);
  EXPECT_EQ(after->cells[2].call, 1);
  // Another way of measuring is another cell, and other implementations make a cell anew.
  ASSERT_EQ(run_tool_binary(words_of("8", out, {"--resume", "--regime", "isolated"})).exit_code, 0);
  EXPECT_THAT(sizes_in(out), testing::ElementsAre(8, 9, 10, 8));
  ASSERT_EQ(run_tool_binary(words_of("9", out, {"--resume", "--aa"})).exit_code, 0);
  EXPECT_THAT(sizes_in(out), testing::ElementsAre(8, 9, 10, 8));
  EXPECT_EQ(read_run(out)->cells[1].entries.size(), 2u);
}

TEST(Resume, needs_a_file_of_this_device) {
  const ScratchFolder folder;
  Words without = words_of("8", "x", {"--resume"});
  without.erase(std::find(without.begin(), without.end(), "--out"), without.end() - 1);
  const ToolRun nowhere = run_tool_binary(without);
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--resume: it needs --out FILE"));
  const std::string out = folder.path("run.json");
  ASSERT_EQ(run_tool_binary(words_of("8", out)).exit_code, 0);
  Json json = Json::parse(read_text(out));
  json["device"]["cpu"]["model"] = "another CPU";
  const std::string other = folder.write("other.json", json.dump());
  const ToolRun elsewhere = run_tool_binary(words_of("9", other, {"--resume"}));
  EXPECT_EQ(elsewhere.exit_code, 4);
  EXPECT_THAT(elsewhere.err, HasSubstr("another CPU"));
  EXPECT_EQ(read_text(other), json.dump()) << "it is left as it was";
}

// Killed as soon as it has kept a cell: the file is whole, and going on gives all of them.
TEST(Resume, a_killed_run_loses_at_most_the_cell_in_progress) {
  const ScratchFolder folder;
  const std::string out = folder.path("run.json");
  std::string command = "'" TILEWRIGHT_TOOL "'";
  for (const std::string& word : words_of("8,9,10,11,12,13,14,15,16,17,18,19", out)) {
    command += " '" + word + "'";
  }
  command +=
      " > /dev/null 2>&1 & tool=$!; while [ ! -s '" + out +
      "' ] && kill -0 $tool 2> /dev/null; do :; done; kill -9 $tool 2> /dev/null; wait $tool";
  (void)std::system(command.c_str());
  const std::vector<std::int64_t> kept = sizes_in(out);
  ASSERT_FALSE(kept.empty());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i], 8 + static_cast<std::int64_t>(i)) << "in order, none left out";
  }
  const ToolRun rest =
      run_tool_binary(words_of("8,9,10,11,12,13,14,15,16,17,18,19", out, {"--resume"}));
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(sizes_in(out), testing::ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
}

}  // namespace
}  // namespace tilewright::measure::test
