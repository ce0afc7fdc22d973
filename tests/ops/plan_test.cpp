// Which kernel is chosen and what is said of the others: the rules on made-up rows and presets, the
// real registry on cards that this machine does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "plan/gemm_registry.h"
#include "plan/presets.h"
#include "plan/select.h"
#include "tilewright/gemm.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

// ---- The real registry

std::vector<DeviceInfo> many_devices() {
  std::vector<DeviceInfo> all = {cpu_device()};
  for (const std::string_view name : card_names()) {
    all.push_back(*card(name));
    all.push_back(all.back());
    all.back().backend = Backend::kSim;
  }
  return all;
}

TEST(Registry, NamesAreUniqueAndTheReferencesLast) {
  std::set<std::string_view> names;
  for (const GemmRow* row : gemm_rows()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    EXPECT_THAT(row->name, HasSubstr("gemm-"));
    EXPECT_THAT(row->summary, Not(IsEmpty())) << row->name;
    EXPECT_LE(row->compute.min, row->compute.max) << row->name;
    EXPECT_EQ(row->backend == Backend::kCpu, row->compute.max == 0) << row->name;
  }
  for (const Backend backend : {Backend::kCpu, Backend::kCuda}) {
    std::vector<bool> is_reference;
    for (const GemmRow* row : gemm_rows()) {
      if (row->backend == backend) is_reference.push_back(row->is_reference);
    }
    ASSERT_GE(is_reference.size(), 2u) << name_of(backend);
    EXPECT_TRUE(is_reference.back()) << name_of(backend);
    EXPECT_EQ(std::ranges::count(is_reference, true), 1) << name_of(backend);
  }
}

TEST(Registry, ListIsTheRegistry) {
  const auto list = list_gemm();
  ASSERT_EQ(list.size(), gemm_rows().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].name, gemm_rows()[i]->name);
    EXPECT_EQ(list[i].backend, gemm_rows()[i]->backend);
    EXPECT_EQ(list[i].is_reference, gemm_rows()[i]->is_reference);
    EXPECT_EQ(list[i].min_compute_capability, gemm_rows()[i]->compute.min);
    EXPECT_EQ(list[i].max_compute_capability, gemm_rows()[i]->compute.max);
  }
}

TEST(Registry, EveryPresetNamesAKernelOfItsCards) {
  for (const GemmPreset& preset : kGemmPresets) {
    const auto rows = gemm_rows();
    const auto row = std::ranges::find(rows, preset.kernel, &GemmRow::name);
    ASSERT_NE(row, rows.end()) << preset.kernel;
    EXPECT_LE((*row)->compute.min, preset.compute.min) << preset.kernel;
    EXPECT_GE((*row)->compute.max, preset.compute.max) << preset.kernel;
    EXPECT_FALSE((*row)->is_reference) << preset.kernel;
    for (const SizeRange& range : {preset.m, preset.n, preset.k}) {
      EXPECT_LE(range.min, range.max) << preset.kernel;
    }
  }
}

TEST(Registry, EveryDeviceExplainsEveryRowOnceAndAgreesWithThePlan) {
  const std::vector<GemmProblem> problems = {
      default_gemm(4096, 4096, 4096, DType::kF16, DType::kF16),
      default_gemm(511, 470, 67, DType::kF16, DType::kF32),
      default_gemm(1, 1, 1, DType::kF32, DType::kF32),
      default_gemm(0, 8, 8, DType::kBF16, DType::kBF16),
      default_gemm(50000, 1, 50000, DType::kF16, DType::kF16)};
  for (const DeviceInfo& on : many_devices()) {
    for (const GemmProblem& p : problems) {
      const auto entries = explain_gemm(p, on);
      ASSERT_EQ(entries.size(), gemm_rows().size());
      std::vector<std::string> chosen;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(entries[i].kernel, gemm_rows()[i]->name);
        if (entries[i].reason.empty()) chosen.push_back(entries[i].kernel);
      }
      const auto plan = plan_gemm(p, on);
      if (plan.ok()) {
        EXPECT_THAT(chosen, ElementsAre(std::string(plan->kernel_name()))) << on.name;
      } else {
        EXPECT_EQ(plan.status().code(), StatusCode::kUnsupported) << plan.status().message();
        EXPECT_THAT(chosen, IsEmpty()) << on.name;
      }
    }
  }
}

TEST(Registry, EveryCardFromAmpereOnHasAKernelForUnalignedRows) {
  for (const DeviceInfo& on : many_devices()) {
    if (on.backend == Backend::kCuda && on.compute_capability() < 80) {
      EXPECT_EQ(plan_gemm(problem(), on).status().code(), StatusCode::kUnsupported) << on.name;
      continue;
    }
    if (on.backend == Backend::kSim && on.compute_capability() < 80) continue;
    for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
      GemmProblem odd = default_gemm(511, 470, 67, type, type);
      odd.a.alignment_bytes = odd.b.alignment_bytes = odd.d.alignment_bytes = bits_of(type) / 8;
      const auto plan = plan_gemm(odd, on);
      EXPECT_TRUE(plan.ok()) << on.name << ": " << plan.status().message();
    }
  }
}

// ---- Plans

TEST(Plan, C22_G17_SizesAreRefusedOrPlannedNeverCutTo32Bits) {
  for (const DeviceInfo& on : many_devices()) {
    for (const GemmProblem& p :
         {default_gemm(50000, 1, 50000, DType::kF16, DType::kF16),
          default_gemm(std::int64_t{1} << 40, 1, 1, DType::kF16, DType::kF16),
          default_gemm(1, 1, std::int64_t{1} << 40, DType::kF16, DType::kF16)}) {
      const auto plan = plan_gemm(p, on);
      if (!plan.ok()) {
        EXPECT_THAT(plan.status().message(), Not(IsEmpty()));
        continue;
      }
      EXPECT_EQ(plan->problem().m, p.m);
      EXPECT_EQ(plan->problem().k, p.k);
    }
    const auto overflow = plan_gemm(
        default_gemm(std::numeric_limits<std::int64_t>::max(), 1, 1, DType::kF16, DType::kF16), on);
    EXPECT_EQ(overflow.status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Plan, DefaultProblemIsPackedAndKContiguous) {
  const GemmProblem p = default_gemm(3, 5, 7, DType::kBF16, DType::kF32);
  EXPECT_EQ(p.a.order, Order::kRowMajor);
  EXPECT_EQ(p.b.order, Order::kColMajor);
  EXPECT_EQ(p.d.order, Order::kRowMajor);
  EXPECT_EQ(p.a.ld, 7);
  EXPECT_EQ(p.b.ld, 7);
  EXPECT_EQ(p.c.ld, 5);
  EXPECT_EQ(p.d.ld, 5);
  EXPECT_EQ(p.a.type, DType::kBF16);
  EXPECT_EQ(p.c.type, DType::kF32);
  EXPECT_EQ(p.batch, 1);
  GemmProblem batched = p;
  batched.batch = 4;
  EXPECT_TRUE(plan_gemm(batched, cpu_device()).ok());
}

TEST(Plan, OptionsAreChecked) {
  const Status threads =
      plan_gemm(problem(), cpu_device(), {.kernel = "", .cpu_threads = -1}).status();
  EXPECT_EQ(threads.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(threads.message(), HasSubstr("cpu_threads = -1"));
  EXPECT_EQ(plan_gemm(problem(), cpu_device(), {.kernel = "gemm-ladder", .cpu_threads = 0})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(Plan, EmptyProblemsRunWithoutPointers) {
  for (GemmProblem p : {default_gemm(0, 4, 4, DType::kF32, DType::kF32),
                        default_gemm(4, 0, 4, DType::kF32, DType::kF32)}) {
    const auto plan = plan_gemm(p, cpu_device());
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_TRUE(plan->run({}).ok());
  }
  GemmProblem no_batch = default_gemm(4, 4, 4, DType::kF32, DType::kF32);
  no_batch.batch = 0;
  EXPECT_TRUE(gemm(no_batch, {}, cpu_device()).ok());
}

class TwoByTwo : public ::testing::Test {
 protected:
  GemmProblem problem_ = default_gemm(2, 2, 2, DType::kF32, DType::kF32);
  alignas(16) float a_[4] = {1, 2, 3, 4}, b_[4] = {5, 6, 7, 8}, d_[8] = {-1, -1, -1, -1, -1};
  GemmArgs args_{.a = a_, .b = b_, .d = d_};

  void expect_d_untouched() const {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(d_[i], -1.0f) << i;
  }
};

TEST_F(TwoByTwo, RunsAndInOneCall) {
  const auto plan = plan_gemm(problem_, cpu_device());
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(plan->run(args_).ok());
  EXPECT_THAT(d_, ElementsAre(17, 23, 39, 53, -1, 0, 0, 0));
  args_.alpha = 2.0f;
  EXPECT_TRUE(gemm(problem_, args_, cpu_device()).ok());
  EXPECT_THAT(d_, ElementsAre(34, 46, 78, 106, -1, 0, 0, 0));
}

TEST_F(TwoByTwo, G07_RefusalWritesNothingAndALenientPlanTakesIt) {
  args_.d = d_ + 1;
  const auto strict = plan_gemm(problem_, cpu_device());
  ASSERT_TRUE(strict.ok());
  const Status refused = strict->run(args_);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("plan with d.alignment_bytes = 4"));
  expect_d_untouched();

  problem_.d.alignment_bytes = 4;
  EXPECT_TRUE(gemm(problem_, args_, cpu_device()).ok());
  EXPECT_THAT(d_, ElementsAre(-1, 17, 23, 39, 53, 0, 0, 0));
}

TEST_F(TwoByTwo, G31_OverlappingRowsAreRefused) {
  problem_.a.ld = 1;
  EXPECT_EQ(gemm(problem_, args_, cpu_device()).code(), StatusCode::kInvalidArgument);
  problem_.a.ld = 2;
  problem_.d.ld = 1;
  const Status refused = gemm(problem_, args_, cpu_device());
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("d.ld = 1"));
  expect_d_untouched();
}

TEST_F(TwoByTwo, SimulatorIsNotInThisBuild) {
  DeviceInfo simulated = *card("h200");
  simulated.backend = Backend::kSim;
  const auto plan = plan_gemm(problem_, simulated);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const Status status = plan->run(args_);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("simulator"));
  expect_d_untouched();
}

TEST_F(TwoByTwo, PlansOutliveWhatTheyWereMadeFrom) {
  auto plan = [&] {
    const GemmProblem p = problem_;
    const DeviceInfo on = cpu_device();
    return plan_gemm(p, on);
  }();
  ASSERT_TRUE(plan.ok());
  const GemmPlan copy = *plan;
  plan = Status::invalid("gone");
  EXPECT_TRUE(copy.run(args_).ok());
  EXPECT_THAT(copy.kernel_name(), HasSubstr("gemm-cpu"));
}

// ---- Known cards

TEST(Cards, FiguresOfTheH200) {
  const DeviceInfo h200 = *card("h200");
  EXPECT_EQ(h200.backend, Backend::kCuda);
  EXPECT_EQ(h200.compute_capability(), 90);
  EXPECT_EQ(h200.gpu.sm_count, 132);
  EXPECT_EQ(h200.gpu.sm_clock_khz, 1980000);
  EXPECT_EQ(h200.gpu.l2_bytes, 62914560);
  EXPECT_EQ(h200.gpu.shared_per_block_bytes, 232448);
  EXPECT_EQ(h200.gpu.memory_bus_bits, 6144);
}

// Bandwidth of memory as the datasheets give it, in GB/s, against clock x 2 x bus / 8.
TEST(Cards, MemoryClockTimesBusIsTheDatasheetsBandwidth) {
  struct Known {
    std::string_view name;
    double bandwidth;
  };
  for (const Known& known :
       {Known{"t4", 320}, Known{"a100", 2039}, Known{"a10", 600}, Known{"rtx3090", 936},
        Known{"l4", 300}, Known{"l40s", 864}, Known{"rtx4090", 1008}, Known{"h100", 3352},
        Known{"h200", 4800}, Known{"b200", 8000}, Known{"rtx5090", 1792}}) {
    const GpuInfo gpu = card(known.name)->gpu;
    const double bandwidth = gpu.memory_clock_khz * 1e3 * 2 * gpu.memory_bus_bits / 8 / 1e9;
    EXPECT_NEAR(bandwidth / known.bandwidth, 1.0, 0.03) << known.name;
  }
}

TEST(Cards, EveryNameIsKnownInAnyCaseAndComplete) {
  for (const std::string_view name : card_names()) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    const auto found = card(upper);
    ASSERT_TRUE(found.ok()) << found.status().message();
    const GpuInfo& gpu = found->gpu;
    EXPECT_GE(gpu.sm_count, 40) << name;
    EXPECT_GE(gpu.l2_bytes, 4 << 20) << name;
    EXPECT_GE(gpu.memory_bytes, std::int64_t{16} << 30) << name;
    EXPECT_GE(gpu.shared_per_sm_bytes, gpu.shared_per_block_bytes) << name;
    EXPECT_GE(gpu.shared_per_block_bytes, 64 << 10) << name;
  }
}

TEST(Cards, UnknownNameIsAnsweredWithTheKnown) {
  for (const std::string_view name : {"", "h2000", "gtx"}) {
    const Status status = card(name).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("card = \"" + std::string(name) + "\""),
                                        HasSubstr("a100"), HasSubstr("h200")));
  }
}

}  // namespace
}  // namespace tilewright
