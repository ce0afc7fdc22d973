// The real registry on cards that this machine does not have, and plans run on its CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "plan/gemm_registry.h"
#include "plan/presets.h"
#include "tilewright/gemm.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
      EXPECT_EQ(plan_gemm(default_gemm(512, 256, 64, DType::kF16, DType::kF32), on).status().code(),
                StatusCode::kUnsupported)
          << on.name;
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
  const GemmProblem p = default_gemm(8, 8, 8, DType::kF32, DType::kF32);
  const Status threads = plan_gemm(p, cpu_device(), {.kernel = "", .cpu_threads = -1}).status();
  EXPECT_EQ(threads.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(threads.message(), HasSubstr("cpu_threads = -1"));
  EXPECT_EQ(plan_gemm(p, cpu_device(), {.kernel = "gemm-ladder", .cpu_threads = 0}).status().code(),
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

TEST_F(TwoByTwo, RunsInTheSimulator) {
  const DeviceInfo simulated = *sim_device("h200");
  EXPECT_EQ(simulated.backend, Backend::kSim);
  const auto plan = plan_gemm(problem_, simulated);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_THAT(plan->kernel_name(), HasSubstr("gemm-cuda"));
  EXPECT_TRUE(plan->run(args_).ok());
  EXPECT_THAT(d_, ElementsAre(17, 23, 39, 53, -1, 0, 0, 0));
  EXPECT_EQ(sim_device("h900").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TwoByTwo, TheSimulatorRefusesHoursUnlessForced) {
  problem_ = default_gemm(1 << 14, 1 << 14, 1 << 14, DType::kF32, DType::kF32);
  DeviceInfo simulated = *sim_device("h200");
  const Status refused = plan_gemm(problem_, simulated).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnsupported);
  EXPECT_THAT(refused.message(),
              HasSubstr("in the simulator; 60 s is the limit, --force (SimInfo::force) runs it"));
  simulated.sim.force = true;
  EXPECT_TRUE(plan_gemm(problem_, simulated).ok());
  EXPECT_EQ(plan_gemm(problem_, simulated)->kernel_name(),
            plan_gemm(problem_, *card("h200"))->kernel_name());
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

}  // namespace
}  // namespace tilewright
