// Which kernel is chosen and what is said of the others: the rules, on made-up rows, presets and
// devices.
#include "plan/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tilewright/gemm.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string takes_all(const GemmProblem&, const DeviceInfo&) {
  return {};
}
std::string takes_none(const GemmProblem&, const DeviceInfo&) {
  return "it is not its day";
}
std::string takes_multiples_of_8(const GemmProblem& p, const DeviceInfo&) {
  return p.k % 8 == 0 ? "" : "k = " + std::to_string(p.k) + " is not a multiple of 8";
}
std::size_t no_workspace(const GemmProblem&, const DeviceInfo&) {
  return 0;
}
Status launches_nothing(const GemmLaunch&) {
  return {};
}

constexpr GemmRow fake(std::string_view name, Backend backend, ComputeRange compute,
                       decltype(GemmRow::reject) reject, bool is_reference = false) {
  return {.name = name,
          .backend = backend,
          .compute = compute,
          .is_reference = is_reference,
          .summary = "made up",
          .reject = reject,
          .workspace = no_workspace,
          .launch = launches_nothing};
}

constexpr GemmRow kHopper = fake("hopper", Backend::kCuda, {90, 90}, takes_multiples_of_8);
constexpr GemmRow kPicky = fake("picky", Backend::kCuda, {80, 129}, takes_multiples_of_8);
constexpr GemmRow kBroad = fake("broad", Backend::kCuda, {80, 129}, takes_all);
constexpr GemmRow kCudaOracle = fake("cuda-oracle", Backend::kCuda, {70, 129}, takes_all, true);
constexpr GemmRow kCpuFast = fake("cpu-fast", Backend::kCpu, {}, takes_multiples_of_8);
constexpr GemmRow kCpuOracle = fake("cpu-oracle", Backend::kCpu, {}, takes_all, true);
constexpr std::array kFakeRows = {&kHopper, &kPicky, &kBroad, &kCudaOracle, &kCpuFast, &kCpuOracle};

GemmProblem problem(std::int64_t k = 64) {
  return default_gemm(512, 256, k, DType::kF16, DType::kF32);
}

DeviceInfo device(Backend backend, int compute_capability = 0) {
  DeviceInfo info;
  info.backend = backend;
  info.name = "Made-up";
  info.gpu.compute_major = compute_capability / 10;
  info.gpu.compute_minor = compute_capability % 10;
  return info;
}

std::string taken(const DeviceInfo& on, std::int64_t k = 64, GemmPresets presets = {}) {
  const auto row = select_gemm(kFakeRows, presets, problem(k), on);
  return row.ok() ? std::string((*row)->name) : row.status().message();
}

TEST(Select, FirstInOrderThatTakesIt) {
  EXPECT_EQ(taken(device(Backend::kCuda, 90)), "hopper");
  EXPECT_EQ(taken(device(Backend::kCuda, 90), 67), "broad");
  EXPECT_EQ(taken(device(Backend::kCuda, 89)), "picky");
  EXPECT_EQ(taken(device(Backend::kCuda, 80)), "picky");
  EXPECT_EQ(taken(device(Backend::kCuda, 129)), "picky");
  EXPECT_EQ(taken(device(Backend::kCpu)), "cpu-fast");
}

TEST(Select, SimulatorTakesTheRowsOfItsCard) {
  EXPECT_EQ(taken(device(Backend::kSim, 90)), "hopper");
  EXPECT_EQ(taken(device(Backend::kSim, 120), 67), "broad");
}

TEST(Select, ReferenceIsTheLastResortOfTheCpuAlone) {
  EXPECT_EQ(taken(device(Backend::kCpu), 67), "cpu-oracle");
  const auto row = select_gemm(kFakeRows, {}, problem(), device(Backend::kCuda, 75));
  EXPECT_EQ(row.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(row.status().message(),
              AllOf(HasSubstr("no kernel but the oracle cuda-oracle takes 512 x 256 x 64"),
                    HasSubstr("Made-up (cuda)"), HasSubstr("PlanOptions::kernel")));
}

TEST(Select, NothingTakesIt) {
  const auto row = select_gemm(kFakeRows, {}, problem(), device(Backend::kCuda, 52));
  EXPECT_EQ(row.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(row.status().message(),
              AllOf(HasSubstr("no kernel takes 512 x 256 x 64"), HasSubstr("hopper, says: "),
                    HasSubstr("needs compute capability 9.0; this card has 5.2")));
  const std::array only_cpu = {&kCpuFast};
  EXPECT_THAT(
      select_gemm(only_cpu, {}, problem(), device(Backend::kCuda, 90)).status().message(),
      AllOf(HasSubstr("no kernel of this library runs on Made-up (cuda)"), HasSubstr("accepted")));
}

TEST(Select, NamedKernelOrAReason) {
  const auto select = [](std::string_view name, std::int64_t k = 64) {
    return select_gemm(kFakeRows, {}, problem(k), device(Backend::kCuda, 90), name);
  };
  EXPECT_EQ((*select("broad"))->name, "broad");
  EXPECT_EQ((*select("cuda-oracle"))->name, "cuda-oracle");

  const Status refused = select("picky", 67).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnsupported);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("picky does not take 512 x 256 x 67"),
                                       HasSubstr("k = 67 is not a multiple of 8")));
  const Status elsewhere = select("cpu-fast").status();
  EXPECT_EQ(elsewhere.code(), StatusCode::kUnsupported);
  EXPECT_THAT(elsewhere.message(), HasSubstr("runs on the CPU; the device is Made-up (cuda)"));
}

TEST(Select, UnknownNameIsAnsweredWithTheNearest) {
  const Status unknown =
      select_gemm(kFakeRows, {}, problem(), device(Backend::kCpu), "cpu-oracel").status();
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(
      unknown.message(),
      HasSubstr("kernel = \"cpu-oracel\" does not exist; the nearest names are cpu-oracle,"));
}

TEST(Select, PresetGoesFirstWhereItMatches) {
  const std::array<GemmPreset, 2> presets = {
      GemmPreset{.compute = {90, 90},
                 .m = {},
                 .n = {},
                 .k = {1, 64},
                 .inputs = DType::kF16,
                 .kernel = "broad"},
      GemmPreset{
          .compute = {0, 0}, .m = {}, .n = {}, .k = {}, .inputs = {}, .kernel = "cpu-oracle"}};
  EXPECT_EQ(taken(device(Backend::kCuda, 90), 64, presets), "broad");
  EXPECT_EQ(taken(device(Backend::kCuda, 90), 72, presets), "hopper");
  EXPECT_EQ(taken(device(Backend::kCuda, 89), 64, presets), "picky");
  // A CPU is a CPU, whatever card stands beside it.
  EXPECT_EQ(taken(device(Backend::kCpu, 90), 64, presets), "cpu-oracle");

  GemmProblem bf16 = problem();
  bf16.a.type = bf16.b.type = DType::kBF16;
  EXPECT_EQ((*select_gemm(kFakeRows, presets, bf16, device(Backend::kCuda, 90)))->name, "hopper");
}

TEST(Select, PresetThatRefusesIsPassedOver) {
  const std::array<GemmPreset, 2> presets = {
      GemmPreset{.compute = {80, 89}, .m = {}, .n = {}, .k = {}, .inputs = {}, .kernel = "hopper"},
      GemmPreset{.compute = {80, 89}, .m = {}, .n = {}, .k = {}, .inputs = {}, .kernel = "gone"}};
  EXPECT_EQ(taken(device(Backend::kCuda, 86), 64, presets), "picky");
}

std::vector<std::string> explained(const DeviceInfo& on, std::int64_t k, GemmPresets presets = {}) {
  std::vector<std::string> lines;
  for (const Rejection& r : explain_gemm(kFakeRows, presets, problem(k), on)) {
    lines.push_back(r.kernel + ": " + r.reason);
  }
  return lines;
}

TEST(Explain, OneSentenceARowInOrder) {
  EXPECT_THAT(explained(device(Backend::kCuda, 89), 67),
              ElementsAre("hopper: needs compute capability 9.0; this card has 8.9",
                          "picky: k = 67 is not a multiple of 8",
                          "broad: ", "cuda-oracle: an oracle: chosen only by name",
                          "cpu-fast: runs on the CPU; the device is Made-up (cuda)",
                          "cpu-oracle: runs on the CPU; the device is Made-up (cuda)"));
  EXPECT_THAT(explained(device(Backend::kCuda, 120), 64),
              ElementsAre("hopper: needs compute capability 9.0; this card has 12.0",
                          "picky: ", "broad: takes it too, but stands behind picky in the order",
                          "cuda-oracle: an oracle: chosen only by name", HasSubstr("runs on"),
                          HasSubstr("runs on")));
  EXPECT_THAT(explained(device(Backend::kCuda, 75), 64),
              ElementsAre("hopper: needs compute capability 9.0; this card has 7.5",
                          "picky: needs compute capability 8.0 to 12.9; this card has 7.5",
                          "broad: needs compute capability 8.0 to 12.9; this card has 7.5",
                          "cuda-oracle: an oracle: chosen only by name", HasSubstr("runs on"),
                          HasSubstr("runs on")));
  EXPECT_THAT(explained(device(Backend::kCpu), 67),
              ElementsAre("hopper: runs on CUDA cards; the device is Made-up (cpu)",
                          HasSubstr("runs on"), HasSubstr("runs on"), HasSubstr("runs on"),
                          "cpu-fast: k = 67 is not a multiple of 8", "cpu-oracle: "));
}

TEST(Explain, PresetIsNamedAsTheReason) {
  const std::array presets = {
      GemmPreset{.compute = {90, 90}, .m = {}, .n = {}, .k = {}, .inputs = {}, .kernel = "broad"}};
  EXPECT_THAT(explained(device(Backend::kCuda, 90), 64, presets),
              ElementsAre("hopper: takes it too, but a preset puts broad first here",
                          "picky: takes it too, but a preset puts broad first here", "broad: ",
                          HasSubstr("oracle"), HasSubstr("runs on"), HasSubstr("runs on")));
}

TEST(Explain, ReasonOfTheRowItself) {
  constexpr GemmRow kIdle = fake("idle", Backend::kCpu, {}, takes_none);
  const std::array rows = {&kIdle};
  const auto entries = explain_gemm(rows, {}, problem(), device(Backend::kCpu));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].reason, "it is not its day");
}

TEST(Explain, WrongProblemHasOneEntry) {
  GemmProblem wrong = problem();
  wrong.a.ld = 3;
  const auto entries = explain_gemm(wrong, device(Backend::kCpu));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kernel, "gemm");
  EXPECT_EQ(entries[0].reason, plan_gemm(wrong, device(Backend::kCpu)).status().message());
}

}  // namespace
}  // namespace tilewright
