// Every rule on problems and arguments, with a case just inside and one just outside.
#include "plan/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "plan/arguments.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

GemmProblem sound() {
  return default_gemm(4, 6, 8, DType::kF16, DType::kF32);
}

GemmProblem with(const std::function<void(GemmProblem&)>& change) {
  GemmProblem p = sound();
  change(p);
  return p;
}

void expect_ok(const std::function<void(GemmProblem&)>& change) {
  const Status status = validate(with(change));
  EXPECT_TRUE(status.ok()) << status.message();
}

// A refusal names the field, its value, and what would be accepted.
void expect_refused(const std::function<void(GemmProblem&)>& change, const std::string& field,
                    const std::string& value, const std::string& remedy) {
  const Status status = validate(with(change));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << field << " = " << value;
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr(field + " = " + value), HasSubstr(remedy), HasSubstr("accepted")));
}

TEST(Validate, SoundProblemPasses) {
  EXPECT_TRUE(validate(sound()).ok());
}

TEST(Validate, NegativeSizesAreRefused) {
  expect_refused([](auto& p) { p.m = -1; }, "m", "-1", "0 or more");
  expect_refused([](auto& p) { p.n = -7; }, "n", "-7", "0 or more");
  expect_refused([](auto& p) { p.k = -1; }, "k", "-1", "0 or more");
  expect_refused([](auto& p) { p.batch = std::numeric_limits<std::int64_t>::min(); }, "batch",
                 "-9223372036854775808", "0 or more");
  for (auto size : {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k, &GemmProblem::batch}) {
    expect_ok([&](auto& p) { p.*size = 0; });
  }
}

TEST(Validate, OnlyGemmTypesPass) {
  for (DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    expect_ok([&](auto& p) { p.a.type = p.b.type = p.c.type = p.d.type = type; });
  }
  for (DType type : {DType::kE4M3, DType::kE8M0, DType::kE2M1, DType::kI8, DType::kI4}) {
    const std::string name(name_of(type));
    expect_refused([&](auto& p) { p.a.type = type; }, "a.type", name, "f32, f16 and bf16");
    expect_refused([&](auto& p) { p.b.type = type; }, "b.type", name, "f32, f16 and bf16");
    expect_refused([&](auto& p) { p.c.type = p.d.type = type; }, "d.type", name, "f32");
  }
  expect_refused([](auto& p) { p.b.type = static_cast<DType>(77); }, "b.type", "77", "f32");
}

TEST(Validate, CHasTypeOfD) {
  const Status status = validate(with([](auto& p) { p.c.type = DType::kBF16; }));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "c.type = bf16 differs from d.type = f32; C has D's type");
}

TEST(Validate, OrdersAreKnown) {
  expect_refused([](auto& p) { p.a.order = static_cast<Order>(2); }, "a.order", "2", "row-major");
  expect_ok([](auto& p) { p.a.order = Order::kColMajor; });
}

TEST(Validate, AlignmentIsAPowerOfTwoOfAtLeastAnElement) {
  for (int good : {2, 4, 16, 1 << 30}) {
    expect_ok([&](auto& p) { p.a.alignment_bytes = good; });
  }
  for (int bad : {-2, 0, 1, 3, 24, std::numeric_limits<int>::min()}) {
    expect_refused([&](auto& p) { p.a.alignment_bytes = bad; }, "a.alignment_bytes",
                   std::to_string(bad), "at least 2");
  }
  expect_refused([](auto& p) { p.d.alignment_bytes = 2; }, "d.alignment_bytes", "2", "at least 4");
  expect_ok([](auto& p) { p.d.alignment_bytes = 4; });
}

TEST(Validate, G31_LeadingDimensionHoldsALine) {
  // A is 4 x 8, B is 8 x 6, D is 4 x 6.
  expect_refused([](auto& p) { p.a.ld = 7; }, "a.ld", "7", "8 or more");
  expect_refused([](auto& p) { p.a.ld = -8; }, "a.ld", "-8", "8 or more");
  expect_refused([](auto& p) { p.b.ld = 7; }, "b.ld", "7", "8 or more");
  expect_refused([](auto& p) { p.d.ld = 5; }, "d.ld", "5", "6 or more");
  expect_ok([](auto& p) { p.a.ld = 8, p.b.ld = 8, p.d.ld = 6; });

  const auto transposed = [](GemmProblem& p) {
    p.a.order = p.d.order = Order::kColMajor;
    p.b.order = Order::kRowMajor;
    p.a.ld = 4, p.b.ld = 6, p.d.ld = 4;
  };
  expect_ok(transposed);
  expect_refused([&](auto& p) { transposed(p), p.a.ld = 3; }, "a.ld", "3", "4 or more");
  expect_refused([&](auto& p) { transposed(p), p.b.ld = 5; }, "b.ld", "5", "6 or more");
  expect_refused([&](auto& p) { transposed(p), p.d.ld = 3; }, "d.ld", "3", "4 or more");

  // The case as it was met: both strides of a view 1.
  expect_refused([](auto& p) { p.k = 2, p.a.ld = 1, p.b.ld = 2; }, "a.ld", "1", "2 or more");
}

TEST(Validate, EmptyMatricesHaveNoLayout) {
  expect_ok([](auto& p) { p.k = 0, p.a.ld = 0, p.b.ld = 0; });
  expect_ok([](auto& p) { p.m = 0, p.a.ld = -1, p.d.ld = -1; });
  expect_ok([](auto& p) { p.n = 0, p.b.ld = 0, p.d.ld = 0, p.batch = 3, p.d.batch_stride = 0; });
  expect_refused([](auto& p) { p.m = 0, p.b.ld = 7; }, "b.ld", "7", "8 or more");
}

TEST(Validate, NegativeBatchStridesAreRefused) {
  expect_refused([](auto& p) { p.a.batch_stride = -1; }, "a.batch_stride", "-1", "0 or more");
  expect_refused([](auto& p) { p.b.batch_stride = -kMax; }, "b.batch_stride", std::to_string(-kMax),
                 "0 or more");
  expect_refused([](auto& p) { p.d.batch_stride = -24; }, "d.batch_stride", "-24", "0 or more");
  expect_ok([](auto& p) { p.batch = 3, p.a.batch_stride = p.b.batch_stride = 0; });
}

TEST(Validate, C22_OffsetsOfTheLargestLeadingDimensionFit) {
  // Four lines of f16: 4 * ld * 2 bytes are at most 2^63 - 1 up to ld = 2^60 - 1.
  constexpr std::int64_t kLargest = (std::int64_t{1} << 60) - 1;
  expect_ok([&](auto& p) { p.a.ld = kLargest; });
  expect_refused([&](auto& p) { p.a.ld = kLargest + 1; }, "a.ld", "1152921504606846976",
                 "2^63 - 1");
  expect_refused([](auto& p) { p.a.ld = kMax; }, "a.ld", std::to_string(kMax), "2^63 - 1");
  // The case as it was met, and twice beyond 32 bits.
  expect_ok([](auto& p) { p.a.ld = (std::int64_t{1} << 31) + 8; });
  expect_ok([](auto& p) { p.a.ld = p.b.ld = p.d.ld = std::int64_t{1} << 33; });
}

TEST(Validate, G17_SizesWhoseBytesOverflowAreRefused) {
  const auto problem = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return default_gemm(m, n, k, DType::kF16, DType::kF32);
  };
  EXPECT_TRUE(validate(problem(50000, 1, 50000)).ok());
  EXPECT_TRUE(validate(problem(1, 1, (std::int64_t{1} << 62) - 1)).ok());
  for (const GemmProblem& p : {problem(kMax, 1, 1), problem(1, kMax, 1), problem(1, 1, kMax),
                               problem(kMax, kMax, kMax), problem(1, 1, std::int64_t{1} << 62),
                               problem(std::int64_t{1} << 32, 1, std::int64_t{1} << 31),
                               problem(std::int64_t{1} << 31, std::int64_t{1} << 31, 1)}) {
    const Status status = validate(p);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << p.m << " " << p.n << " " << p.k;
    EXPECT_THAT(status.message(), HasSubstr("too large"));
  }
}

TEST(Validate, BatchTimesStrideFits) {
  // A spans 32 elements; 2 * stride + 32 elements of 2 bytes fit up to stride = 2^61 - 17.
  constexpr std::int64_t kLargest = (std::int64_t{1} << 61) - 17;
  const auto batch = [](GemmProblem& p, std::int64_t stride) {
    p.batch = 2, p.a.batch_stride = stride;
  };
  expect_ok([&](auto& p) { batch(p, kLargest); });
  expect_refused([&](auto& p) { batch(p, kLargest + 1); }, "a.batch_stride",
                 std::to_string(kLargest + 1), "2^63 - 1");
  expect_refused([&](auto& p) { batch(p, kMax), p.batch = kMax; }, "a.batch_stride",
                 std::to_string(kMax), "2^63 - 1");
  expect_ok([](auto& p) { p.a.batch_stride = kMax; });  // a batch of one has no stride
}

TEST(Validate, MatricesOfTheOutputLieApart) {
  const auto batch_of_d = [](GemmProblem& p, std::int64_t ld, std::int64_t stride) {
    p.batch = 3, p.d.ld = ld, p.d.batch_stride = stride;
  };
  // Behind one another: a 4 x 6 matrix at ld 10 spans 3 * 10 + 6.
  expect_ok([&](auto& p) { batch_of_d(p, 10, 36); });
  expect_refused([&](auto& p) { batch_of_d(p, 10, 35); }, "d.batch_stride", "35", "36 or more");
  expect_refused([&](auto& p) { batch_of_d(p, 10, 0); }, "d.batch_stride", "0", "36 or more");
  // Side by side: three rows of 6 need ld 18.
  expect_ok([&](auto& p) { batch_of_d(p, 18, 6); });
  expect_refused([&](auto& p) { batch_of_d(p, 17, 6); }, "d.batch_stride", "6", "6 or more");
  expect_refused([&](auto& p) { batch_of_d(p, 100, 5); }, "d.batch_stride", "5", "6 or more");
  expect_ok([](auto& p) { p.d.batch_stride = 0; });  // a batch of one
}

TEST(ValidateC, CountsOnItsOwn) {
  expect_ok([](auto& p) { p.c.ld = 0, p.c.batch_stride = -1, p.c.alignment_bytes = 3; });
  EXPECT_TRUE(validate_c(sound()).ok());
  EXPECT_THAT(validate_c(with([](auto& p) { p.c.ld = 5; })).message(), HasSubstr("c.ld = 5"));
  EXPECT_THAT(validate_c(with([](auto& p) { p.c.batch_stride = -1; })).message(),
              HasSubstr("c.batch_stride = -1"));
  EXPECT_THAT(validate_c(with([](auto& p) { p.c.alignment_bytes = 2; })).message(),
              HasSubstr("c.alignment_bytes = 2"));
}

// Argument checks look at addresses alone, so the tests make them up.
const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}
void* out_at(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

constexpr std::uintptr_t kA = 0x10000, kB = 0x20000, kC = 0x30000, kD = 0x40000;

GemmArgs sound_args() {
  return {.a = at(kA), .b = at(kB), .c = at(kC), .d = out_at(kD), .beta = 1};
}

Status check(const GemmProblem& p, const std::function<void(GemmArgs&)>& change) {
  GemmArgs args = sound_args();
  change(args);
  return check_arguments(p, validate_c(p), args);
}

TEST(Arguments, PointersAreThereWhereDataIsNeeded) {
  EXPECT_TRUE(check(sound(), [](auto&) {}).ok());
  const auto message = [](auto change) {
    const Status status = check(sound(), change);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_THAT(message([](auto& g) { g.a = nullptr; }),
              HasSubstr("a is null; the address of 4 x 8"));
  EXPECT_THAT(message([](auto& g) { g.b = nullptr; }),
              HasSubstr("b is null; the address of 8 x 6"));
  EXPECT_THAT(message([](auto& g) { g.c = nullptr; }),
              HasSubstr("c is null; the address of 4 x 6"));
  EXPECT_THAT(message([](auto& g) { g.d = nullptr; }),
              HasSubstr("d is null; the address of 4 x 6"));

  EXPECT_TRUE(check(sound(), [](auto& g) { g.a = g.b = nullptr, g.alpha = 0; }).ok());
  EXPECT_TRUE(check(sound(), [](auto& g) { g.c = nullptr, g.beta = 0; }).ok());
  const GemmProblem no_k = default_gemm(4, 6, 0, DType::kF16, DType::kF32);
  EXPECT_TRUE(check(no_k, [](auto& g) { g.a = g.b = nullptr; }).ok());
}

TEST(Arguments, FactorsMayBeAnything) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(check(sound(), [&](auto& g) { g.alpha = nan, g.beta = nan; }).ok());
  // NaN is not 0: what it scales is read.
  EXPECT_FALSE(check(sound(), [&](auto& g) { g.alpha = nan, g.a = nullptr; }).ok());
  EXPECT_FALSE(check(sound(), [&](auto& g) { g.beta = nan, g.c = nullptr; }).ok());
}

TEST(Arguments, G07_PointersKeepThePlannedAlignment) {
  const Status status = check(sound(), [](auto& g) { g.a = at(kA + 2); });
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      status.message(),
      "a = 0x10002 is not a multiple of 16 bytes, the planned alignment; pass one that is, or "
      "plan with a.alignment_bytes = 2");
  EXPECT_THAT(check(sound(), [](auto& g) { g.d = out_at(kD + 8); }).message(),
              HasSubstr("plan with d.alignment_bytes = 8"));
  EXPECT_THAT(check(sound(), [](auto& g) { g.c = at(kC + 4); }).message(),
              HasSubstr("c = 0x30004"));
  EXPECT_THAT(check(sound(), [](auto& g) { g.b = at(kB + 1); }).message(),
              HasSubstr("as no address of f16 elements may be"));

  const GemmProblem lenient = with([](auto& p) { p.a.alignment_bytes = 2; });
  EXPECT_TRUE(check(lenient, [](auto& g) { g.a = at(kA + 2); }).ok());
  EXPECT_FALSE(check(lenient, [](auto& g) { g.a = at(kA + 1); }).ok());
  // What is not read is not looked at.
  EXPECT_TRUE(check(sound(), [](auto& g) { g.a = at(kA + 2), g.alpha = 0; }).ok());
  EXPECT_TRUE(check(sound(), [](auto& g) { g.c = at(kC + 2), g.beta = 0; }).ok());
}

TEST(Arguments, LayoutOfCCountsOnlyWithBeta) {
  const GemmProblem p = with([](auto& q) { q.c.ld = 0; });
  EXPECT_TRUE(check(p, [](auto& g) { g.beta = 0; }).ok());
  EXPECT_THAT(check(p, [](auto&) {}).message(), HasSubstr("c.ld = 0"));
}

TEST(Arguments, CIsDOrApartFromIt) {
  const auto in_place = [](auto& g) { g.c = g.d; };
  EXPECT_TRUE(check(sound(), in_place).ok());
  EXPECT_THAT(check(with([](auto& p) { p.c.ld = 7; }), in_place).message(),
              AllOf(HasSubstr("ld 7"), HasSubstr("ld 6"), HasSubstr("with all three equal")));
  EXPECT_FALSE(check(with([](auto& p) { p.c.order = Order::kColMajor; }), in_place).ok());
  const GemmProblem shared_c =
      with([](auto& p) { p.batch = 2, p.c.batch_stride = 0, p.d.batch_stride = 24; });
  EXPECT_FALSE(check(shared_c, in_place).ok());

  // C and D are 4 x 6 packed floats: 96 bytes.
  EXPECT_TRUE(check(sound(), [](auto& g) { g.c = at(kD - 96); }).ok());
  EXPECT_TRUE(check(sound(), [](auto& g) { g.c = at(kD + 96); }).ok());
  for (const std::uintptr_t inside : {kD - 80, kD - 16, kD + 16, kD + 80}) {
    EXPECT_THAT(check(sound(), [&](auto& g) { g.c = at(inside); }).message(),
                AllOf(HasSubstr("overlaps"), HasSubstr("accepted")));
  }
  // What is not read may lie anywhere.
  EXPECT_TRUE(check(sound(), [](auto& g) { g.c = at(kD + 16), g.beta = 0; }).ok());
}

TEST(Arguments, CAndDMayBeColumnsOfOneBuffer) {
  const auto wide = [](std::int64_t ld) {
    return with([&](auto& p) { p.c.ld = p.d.ld = ld, p.c.alignment_bytes = 4; });
  };
  const auto six_columns_right = [](auto& g) { g.c = at(kD + 6 * 4); };
  const auto six_columns_left = [](auto& g) { g.c = at(kD - 6 * 4); };
  EXPECT_TRUE(check(wide(12), six_columns_right).ok());
  EXPECT_TRUE(check(wide(12), six_columns_left).ok());
  EXPECT_FALSE(check(wide(11), six_columns_right).ok());
  EXPECT_FALSE(check(wide(12), [](auto& g) { g.c = at(kD + 5 * 4); }).ok());
  EXPECT_FALSE(check(wide(13), [](auto& g) { g.c = at(kD + 8 * 4); }).ok());
}

TEST(Arguments, ProductIsNotInPlace) {
  EXPECT_THAT(check(sound(), [](auto& g) { g.a = g.d; }).message(), HasSubstr("in place"));
  EXPECT_THAT(check(sound(), [](auto& g) { g.b = g.d; }).message(), HasSubstr("in place"));
  EXPECT_TRUE(check(sound(), [](auto& g) { g.a = g.b = g.d, g.alpha = 0; }).ok());
}

TEST(Arguments, WorkspaceIsThereAndLargeEnough) {
  int memory = 0;
  EXPECT_TRUE(check_workspace("k", 0, {}).ok());
  EXPECT_TRUE(check_workspace("k", 64, {.data = &memory, .bytes = 64}).ok());
  EXPECT_THAT(
      check_workspace("gemm-x", 64, {.data = &memory, .bytes = 63}).message(),
      AllOf(HasSubstr("workspace.bytes = 63"), HasSubstr("gemm-x"), HasSubstr("64 or more")));
  EXPECT_THAT(check_workspace("gemm-x", 64, {.data = nullptr, .bytes = 64}).message(),
              HasSubstr("workspace.data is null"));
}

}  // namespace
}  // namespace tilewright
