// The simulator as a device of the tool: what it accepts, shows and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

const Words kSmall = {"verify", "gemm", "--device", "sim", "--m", "40", "--n", "24", "--k", "72"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Simulated, VerifyRunsEveryKernelUnderSchedulesAndSaysSo) {
  const ToolRun run = run_tool_binary(with(kSmall, {"--dtype", "bf16"}));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("gemm-sm90-tma-wgmma-128x128"));
  EXPECT_THAT(run.out, HasSubstr("gemm-cuda-ladder-v4"));
  EXPECT_THAT(run.out, HasSubstr("NVIDIA H200 (simulated)"));
  EXPECT_THAT(run.out, HasSubstr("Simulated, not run on a card: seeds 1 to 2, copies early, late, "
                                 "random"));
  EXPECT_THAT(run.out, Not(HasSubstr("Replay:")));
  const ToolRun json = run_tool_binary(with(kSmall, {"--format", "json"}));
  for (const auto& row : nlohmann::json::parse(json.out)) {
    EXPECT_EQ(row["device"], "NVIDIA H200 (simulated)");
    EXPECT_EQ(row["schedules"], row["verdict"] == "ok" ? nlohmann::json(6) : nlohmann::json());
    EXPECT_TRUE(row["replay"].is_null());
  }
}

TEST(Simulated, OneScheduleOnAnotherCard) {
  Words words = with(kSmall, {"--sim-seed", "7", "--sim-copies", "late"});
  words[3] = "sim:a100";
  const ToolRun run = run_tool_binary(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("seed 7, copies late"));
  EXPECT_THAT(run.out, HasSubstr("A100"));
}

struct Refused {
  Words words;
  int exit_code;
  std::string sentence;
};

TEST(Simulated, WrongWordsAreRefusedInASentence) {
  const std::vector<Refused> all = {
      {with(kSmall, {"--sim-copies", "soon"}), 2, "give early, late, random or all"},
      {with(kSmall, {"--sim-seeds", "0"}), 2, "--sim-seeds"},
      {with(kSmall, {"--sim-seed", "x"}), 2, "--sim-seed"},
      {with(kSmall, {"--sim-seed", "1", "--sim-seeds", "2"}), 2, "give one of them"},
      {{"verify", "gemm", "--device", "sim:h900", "--m", "8", "--n", "8", "--k", "8"}, 2, "h900"},
      {{"verify", "gemm", "--device", "cpu", "--m", "8", "--n", "8", "--k", "8", "--force"},
       2,
       "are for --device sim"},
      {{"compare", "gemm", "--device", "sim"}, 5, "its clock is the host's"},
      {{"bench", "gemm", "--device", "sim", "--kernel", "gemm-cuda-ladder-v4", "--sizes", "64"},
       5,
       "its clock is the host's"},
      {{"conformance", "--device", "cpu"}, 2, "cuda and sim are accepted"},
      {{"conformance", "--device", "sim", "--only", "nothing-like-it"}, 2, "nothing-like-it"},
      {{"conformance", "--device", "sim", "--seed", "-1"}, 2, "--seed"}};
  for (const Refused& each : all) {
    const ToolRun run = run_tool_binary(each.words);
    EXPECT_EQ(run.exit_code, each.exit_code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(each.sentence));
    EXPECT_EQ(run.out, "");
  }
}

TEST(Simulated, WhatTakesTooLongIsRefusedWithItsTime) {
  const ToolRun run = run_tool_binary({"verify", "gemm", "--device", "sim", "--m", "16384", "--n",
                                       "16384", "--k", "16384", "--only", "gemm-cuda-ladder-v4"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("hours in the simulator; 60 s is the limit, --force"));
}

TEST(Simulated, WithoutSizesSmallOnesAreVerified) {
  const ToolRun run = run_tool_binary({"verify", "gemm", "--device", "sim", "--sim-seed", "1",
                                       "--sim-copies", "random", "--only", "gemm-cuda-ladder-v4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("64x64x64 f16"));
  EXPECT_THAT(run.out, HasSubstr("136x136x136 f16"));
}

TEST(Simulated, ListsAndPlansKnowIt) {
  const ToolRun list = run_tool_binary({"list"}, {"CUDA_VISIBLE_DEVICES=-1"});
  EXPECT_THAT(list.out, HasSubstr("tilewright verify gemm --device sim"));
  const ToolRun explain = run_tool_binary(
      {"explain", "gemm", "--device", "sim:a100", "--m", "64", "--n", "64", "--k", "64"});
  EXPECT_EQ(explain.exit_code, 0) << explain.err;
  EXPECT_THAT(explain.out, HasSubstr("(simulated): gemm-cuda-ladder-v4 is taken."));
}

TEST(Simulated, ConformanceOfTheSimulatorAloneGoesIntoAFile) {
  const ScratchFolder folder;
  const std::string path = folder.path("conformance.json");
  const ToolRun run =
      run_tool_binary({"conformance", "--device", "sim", "--only", "mma", "--out", path});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  const auto json = nlohmann::json::parse(read_text(path));
  EXPECT_EQ(json["backend"], "sim");
  EXPECT_GT(json["cases"].size(), 100u);
  for (const auto& each : json["cases"]) EXPECT_TRUE(each["passed"]) << each["id"];
}

}  // namespace
}  // namespace tilewright::measure::test
