// The simulator still does what an H200 did: the committed run's outputs, bit for bit where the
// result is defined and within the stated bound elsewhere.
#include "tilewright/conformance.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewright {
namespace {

nlohmann::json committed() {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/benchmarks/results/h200/conformance.json");
  return nlohmann::json::parse(file);
}

TEST(Conformance, TheSimulatorGivesWhatTheCardGave) {
  const nlohmann::json run = committed();
  ASSERT_EQ(run["backend"], "cuda");
  DeviceInfo simulated = *sim_device("h200");
  simulated.sim.copies = SimCopies::kLate;
  std::set<std::string> seen;
  for (const auto& entry : run["cases"]) {
    ConformanceCase of{entry["id"], entry["functions"], entry.value("bound", 0.0)};
    seen.insert(of.id);
    EXPECT_TRUE(entry["passed"]) << of.id;
    const auto words = run_conformance_case(of.id, simulated, run["input_seed"]);
    ASSERT_TRUE(words.ok()) << words.status().message();
    if (of.bound == 0) {
      EXPECT_EQ(fmt::format("{:016x}", conformance_digest(*words)), entry["digest"]) << of.id;
    } else {
      const auto difference =
          compare_conformance(of, entry["output"].get<std::vector<std::uint32_t>>(), *words);
      EXPECT_TRUE(difference.passed) << of.id << ": " << difference.failure;
    }
  }
  for (const ConformanceCase& each : conformance_cases(simulated)) {
    EXPECT_TRUE(seen.contains(each.id)) << each.id << " has not been run on a card";
  }
}

TEST(Conformance, EveryScheduleGivesTheSameBits) {
  DeviceInfo early = *sim_device("h200"), late = early;
  early.sim.copies = SimCopies::kEarly;
  late.sim.copies = SimCopies::kLate;
  late.sim.seed = 5;
  for (const ConformanceCase& each : conformance_cases(early)) {
    const auto one = run_conformance_case(each.id, early, 3);
    const auto other = run_conformance_case(each.id, late, 3);
    ASSERT_TRUE(one.ok() && other.ok()) << each.id;
    EXPECT_EQ(*one, *other) << each.id;
  }
}

TEST(Conformance, DifferencesAreSeen) {
  const ConformanceCase bits{"a", "b", 0}, bounded{"a", "b", 0.5};
  const std::vector<std::uint32_t> one = {0x3f800000, 7};  // 1.0f
  EXPECT_TRUE(compare_conformance(bits, one, one).passed);
  EXPECT_FALSE(compare_conformance(bits, one, {0x3f800001, 7}).passed);
  EXPECT_FALSE(compare_conformance(bits, one, {0x3f800000}).passed);
  EXPECT_TRUE(compare_conformance(bounded, one, {0x3fa00000, 7}).passed);   // 1.25f
  EXPECT_FALSE(compare_conformance(bounded, one, {0x40000000, 7}).passed);  // 2.0f
  EXPECT_FALSE(compare_conformance(bounded, one, {0x7fc00000, 7}).passed);  // NaN
  EXPECT_NE(conformance_digest(one), conformance_digest({0x3f800000, 8}));
}

TEST(Conformance, UnknownCasesAndDevicesWithoutAnyAreRefused) {
  EXPECT_EQ(run_conformance_case("nothing", *sim_device(), 1).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(conformance_cases(cpu_device()).empty());
  const std::size_t ampere = conformance_cases(*sim_device("a100")).size();
  EXPECT_GT(ampere, 10u);
  EXPECT_LT(ampere, conformance_cases(*sim_device("h200")).size());
}

}  // namespace
}  // namespace tilewright
