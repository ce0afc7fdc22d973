// Command lines that the tool writes are ones that it takes back.
#include "measure/record/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "measure/record/label.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using Words = std::vector<std::string>;

GemmProblem unusual() {
  GemmProblem p = default_gemm(40, 24, 72, DType::kBF16, DType::kF32);
  p.batch = 3;
  p.a.order = Order::kColMajor;
  p.a.ld = 48;
  p.a.batch_stride = 72 * 48;
  p.b.order = Order::kRowMajor;
  p.b.ld = 32;
  p.b.batch_stride = 72 * 32;
  p.d.order = p.c.order = Order::kColMajor;
  p.d.ld = 56;
  p.c.ld = 64;
  p.d.batch_stride = 24 * 56;
  p.c.batch_stride = 24 * 64;
  for (Operand* operand : {&p.a, &p.b, &p.c, &p.d}) operand->alignment_bytes = 8;
  return p;
}

TEST(CommandLine, SaysWhatDepartsFromTheDefaultOfAProblem) {
  EXPECT_EQ(command_line(words_of(default_gemm(40, 24, 72, DType::kF16, DType::kF16))),
            "--m 40 --n 24 --k 72 --dtype f16");
  EXPECT_EQ(command_line(words_of(unusual())),
            "--m 40 --n 24 --k 72 --batch 3 --dtype bf16 --out-dtype f32 --layout tn --d-order col "
            "--lda 48 --ldb 32 --ldd 56 --ldc 64 --align 8");
}

GemmProblem empty() {
  GemmProblem p = default_gemm(0, 24, 0, DType::kF32, DType::kF16);
  p.a.ld = p.b.ld = 1;  // as the tool makes them: no leading dimension is 0
  return p;
}

TEST(CommandLine, TheToolMakesTheSameProblemOfTheWords) {
  for (const GemmProblem& problem :
       {default_gemm(40, 24, 72, DType::kF16, DType::kF16), empty(), unusual()}) {
    Words words = {"verify", "gemm", "--device", "cpu", "--format", "json"};
    for (const std::string& word : words_of(problem)) words.push_back(word);
    const ToolRun run = run_tool_binary(words);
    ASSERT_EQ(run.exit_code, 0) << run.err << run.out;
    EXPECT_EQ(nlohmann::json::parse(run.out)[0]["problem"], label_of(problem));
  }
}

TEST(CommandLine, AReplayKeepsTheRestOfTheCommand) {
  const SimInfo sim{.seed = 5, .copies = SimCopies::kLate};
  const GemmProblem problem = default_gemm(8, 16, 24, DType::kF16, DType::kF16);
  const std::string replayed =
      "--m 8 --n 16 --k 24 --dtype f16 --only gemm-cuda-ladder-v4 --sim-seed 5 --sim-copies late";
  EXPECT_EQ(replay_line({"./tilewright", "verify", "gemm", "--suite", "my suite.toml", "--device",
                         "sim", "--sim-seeds=8", "--seed", "3", "--only", "tilewright", "--force"},
                        "gemm-cuda-ladder-v4", problem, sim),
            "./tilewright verify gemm --device sim --seed 3 --force " + replayed);
  EXPECT_EQ(replay_line({"/my tools/tilewright", "verify", "gemm", "--device=sim:a100", "--beta",
                         "0.5", "--sizes", "8,9"},
                        "gemm-cuda-ladder-v4", problem, sim),
            "'/my tools/tilewright' verify gemm --device=sim:a100 --beta 0.5 " + replayed);
}

}  // namespace
}  // namespace tilewright::measure::test
