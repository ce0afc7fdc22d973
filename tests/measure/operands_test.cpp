// What the engine works on: the order of rounds, rotation, operands, fills.
#include "measure/protocol/operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "measure/stats/order.h"
#include "measure/protocol/fill_value.h"
#include "tests/measure/fakes.h"

namespace tilewright::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Rounds, StartRotatesAndEverySecondRoundRunsBackwards) {
  EXPECT_THAT(round_order(OrderKind::kRotated, 3, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(round_order(OrderKind::kRotated, 3, 1), ElementsAre(1, 0, 2));
  EXPECT_THAT(round_order(OrderKind::kRotated, 3, 2), ElementsAre(2, 0, 1));
  EXPECT_THAT(round_order(OrderKind::kRotated, 3, 3), ElementsAre(0, 2, 1));
  EXPECT_THAT(round_order(OrderKind::kRotated, 2, 0), ElementsAre(0, 1));
  EXPECT_THAT(round_order(OrderKind::kRotated, 2, 1), ElementsAre(1, 0));
  EXPECT_TRUE(round_order(OrderKind::kRotated, 0, 5).empty());
}

TEST(Rotation, SetsFollowFromCacheAndFootprint) {
  const GemmProblem p = default_gemm(64, 64, 64, DType::kF16, DType::kF16);  // 24 KiB
  const Rotation plan = plan_rotation(
      p, {.factor = 2, .cache_bytes = 240 << 10, .limit_bytes = 1 << 30, .limit_reason = "all"});
  EXPECT_EQ(plan.footprint_bytes, 3 * 64 * 64 * 2);
  EXPECT_EQ(plan.sets, 20);
  EXPECT_DOUBLE_EQ(plan.reuse_distance_over_cache, 19 * 24.0 / 240);
  EXPECT_EQ(plan.note, "");
}

TEST(Rotation, AtLeastTwoSetsEvenOfHugeOperands) {
  const GemmProblem p = default_gemm(512, 512, 512, DType::kF32, DType::kF32);
  EXPECT_EQ(
      plan_rotation(p, {.cache_bytes = 1024, .limit_bytes = 1 << 30, .limit_reason = ""}).sets, 2);
  EXPECT_EQ(plan_rotation(p, {.cache_bytes = 1024, .limit_bytes = 0, .limit_reason = ""}).sets, 2);
}

TEST(Rotation, ACapSaysWhy) {
  const GemmProblem p = default_gemm(64, 64, 64, DType::kF16, DType::kF16);
  const Rotation memory = plan_rotation(p, {.factor = 2,
                                            .cache_bytes = 240 << 10,
                                            .limit_bytes = 130 << 10,
                                            .limit_reason = "half of a shoe box"});
  EXPECT_EQ(memory.sets, 5);
  EXPECT_THAT(memory.note, HasSubstr("5 of 20 buffer sets"));
  EXPECT_THAT(memory.note, HasSubstr("half of a shoe box"));
  EXPECT_THAT(memory.note, HasSubstr("may still be in the cache"));
  const Rotation tiny = plan_rotation(default_gemm(1, 1, 1, DType::kF16, DType::kF16),
                                      {.factor = 2,
                                       .cache_bytes = 1 << 28,
                                       .limit_bytes = std::int64_t{1} << 40,
                                       .limit_reason = ""});
  EXPECT_EQ(tiny.sets, 8192);
  EXPECT_THAT(tiny.note, HasSubstr("no more than 8192"));
}

TEST(Operands, SetsDifferBySignInMemoryOfTheirOwnAsPromisedAligned) {
  FakeDevice device;
  GemmProblem p = default_gemm(5, 7, 9, DType::kF16, DType::kF32);
  p.a.ld = 11;
  p.a.alignment_bytes = 2;
  p.b.alignment_bytes = 1024;
  p.d.alignment_bytes = 4;
  Result<OperandSets> operands = OperandSets::allocate(device, p, 4, false);
  ASSERT_TRUE(operands);
  ASSERT_TRUE(operands->fill({}, 9));
  std::set<const void*> pointers;
  for (std::int64_t set = 0; set < 4; ++set) {
    const GemmArgs args = operands->args(set);
    pointers.insert({args.a, args.b, args.d});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(args.a) % 4, 2u);  // no more than was promised
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(args.b) % 1024, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(args.d) % 8, 4u);
    // A is negated in sets 1 and 3, B in 2 and 3.
    const float sign_a = set % 2 == 1 ? -1.0f : 1.0f, sign_b = set / 2 == 1 ? -1.0f : 1.0f;
    for (std::int64_t i = 0; i < 4 * 11 + 9; ++i) {
      ASSERT_EQ(element(p.a, args.a, i), sign_a * element(p.a, operands->args(0).a, i));
    }
    for (std::int64_t i = 0; i < 63; ++i) {
      ASSERT_EQ(element(p.b, args.b, i), sign_b * element(p.b, operands->args(0).b, i));
    }
    EXPECT_EQ(OperandSets::d_negated(set), sign_a * sign_b < 0);
    EXPECT_EQ(*operands->changed_input(set), "");
  }
  EXPECT_EQ(pointers.size(), 12u);
  EXPECT_EQ(operands->args(0).c, nullptr);
  set_element(p.b, const_cast<void*>(operands->args(2).b), 62, 0.25);
  EXPECT_EQ(*operands->changed_input(1), "");
  EXPECT_EQ(*operands->changed_input(2), "B");
}

TEST(Fill, ValuesFollowFromSeedAndIndexAndSpreadAsNamed) {
  EXPECT_EQ(fill_value(Fill::kUniform, 1, 5), fill_value(Fill::kUniform, 1, 5));
  std::map<Fill, std::pair<double, double>> sums;
  constexpr int kCount = 20000;
  int repeats = 0;
  for (int i = 0; i < kCount; ++i) {
    for (const Fill fill : {Fill::kUniform, Fill::kNormal, Fill::kInteger, Fill::kZero}) {
      const float value = fill_value(fill, 3, static_cast<std::uint64_t>(i));
      sums[fill].first += value;
      sums[fill].second += static_cast<double>(value) * value;
    }
    const auto index = static_cast<std::uint64_t>(i);
    const float uniform = fill_value(Fill::kUniform, 3, index);
    ASSERT_LT(std::fabs(uniform), 1.0f);
    const float integer = fill_value(Fill::kInteger, 3, index);
    ASSERT_EQ(integer, std::round(integer));
    ASSERT_LE(std::fabs(integer), 3.0f);
    if (uniform == fill_value(Fill::kUniform, 4, index)) ++repeats;
  }
  EXPECT_LT(repeats, 5);  // another seed is another sequence
  const std::map<Fill, double> variances{
      {Fill::kUniform, 1.0 / 3}, {Fill::kNormal, 1.0}, {Fill::kInteger, 4.0}, {Fill::kZero, 0.0}};
  for (const auto& [fill, variance] : variances) {
    EXPECT_NEAR(sums[fill].first / kCount, 0, 0.05) << name_of(fill);
    EXPECT_NEAR(sums[fill].second / kCount, variance, 0.05 * variance) << name_of(fill);
  }
}

TEST(Device, ChecksumSeesEveryByteAndItsPlace) {
  FakeDevice device;
  std::vector<std::byte> data(1003, std::byte{7});
  const std::uint64_t before = *device.checksum(data.data(), 1003);
  EXPECT_EQ(*device.checksum(data.data(), 1003), before);
  for (const std::size_t at : {0u, 500u, 999u, 1002u}) {
    data[at] ^= std::byte{1};
    EXPECT_NE(*device.checksum(data.data(), 1003), before);
    data[at] ^= std::byte{1};
  }
  std::swap(data[8], data[16] = std::byte{9});
  const std::uint64_t swapped = *device.checksum(data.data(), 1003);
  std::swap(data[8], data[16]);
  EXPECT_NE(*device.checksum(data.data(), 1003), swapped);
  EXPECT_FALSE(device.fill(data.data(), DType::kI4, 4, {}));
}

}  // namespace
}  // namespace tilewright::measure
