#include "measure/protocol/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "tests/measure/fakes.h"

namespace tilewright::measure {
namespace {

using ::testing::HasSubstr;

constexpr Scalars kPlain{1, 0};

// One problem on the small machine, its expectation, and a way to judge an implementation.
struct Bench {
  explicit Bench(GemmProblem p, Scalars s = kPlain, const Gemm& reference = right_gemm())
      : problem(std::move(p)), scalars(s) {
    Result<OperandSets> made = OperandSets::allocate(device, problem, 1, s.beta != 0);
    EXPECT_TRUE(made);
    operands.emplace(std::move(*made));
    EXPECT_TRUE(operands->fill({}, 5));
    const Reference plain{"plain-loops", [&reference](const GemmProblem& q, const GemmArgs& args,
                                                      Stream) { return reference(q, args); }};
    Result<Expected> wanted = expected_for(device, plain, problem, *operands, scalars);
    EXPECT_TRUE(wanted);
    expected = std::move(*wanted);
  }

  CheckRecord judge(Gemm gemm) {
    FakePrepared prepared(problem, std::move(gemm));
    Result<CheckRecord> record = check_run(device, expected, *operands, scalars, prepared);
    EXPECT_TRUE(record) << record.status().message();
    return record ? *record : CheckRecord{};
  }

  FakeDevice device;
  GemmProblem problem;
  Scalars scalars;
  std::optional<OperandSets> operands;
  Expected expected;
};

GemmProblem small() {
  return default_gemm(20, 33, 40, DType::kF16, DType::kF16);
}

// right_gemm, and then `spoil` on what it wrote.
Gemm spoiled(std::function<void(const GemmProblem&, const GemmArgs&)> spoil) {
  return [spoil = std::move(spoil)](const GemmProblem& p, const GemmArgs& args) {
    Status status = plain_gemm(p, args);
    spoil(p, args);
    return status;
  };
}

void expect_caught(const CheckRecord& record, const std::string& words) {
  EXPECT_FALSE(record.passed);
  EXPECT_THAT(record.failure, HasSubstr(words));
}

// The bound grows with k: at 8192 it would let a product pass that lacks its last term.
TEST(Check, B22_last_term_missing_of_a_long_sum) {
  const GemmProblem p = default_gemm(16, 16, 8192, DType::kF16, DType::kF32);
  Bench bench(p);
  EXPECT_TRUE(bench.judge(right_gemm()).passed);
  const CheckRecord record = bench.judge([](const GemmProblem& q, const GemmArgs& args) {
    GemmProblem shorter = q;
    shorter.k -= 1;
    return plain_gemm(shorter, args);
  });
  EXPECT_LT(record.max_error_over_bound, 1);
  expect_caught(record, "further from the reference than rounding explains");
}

TEST(Check, ARightResultPassesInEveryLayout) {
  for (const DType output : {DType::kF16, DType::kBF16, DType::kF32}) {
    for (const Order order : {Order::kRowMajor, Order::kColMajor}) {
      GemmProblem p = default_gemm(20, 33, 40, DType::kBF16, output);
      p.batch = 3;
      p.a.batch_stride = 20 * 40 + 7;
      p.b.batch_stride = 0;
      p.d.order = order;
      p.d.ld = 41;
      p.d.batch_stride = 41 * 40;
      Bench bench(p);
      const CheckRecord record = bench.judge(right_gemm());
      EXPECT_TRUE(record.passed) << record.failure;
      EXPECT_EQ(record.elements, 3 * 20 * 33);
      EXPECT_EQ(record.reference, "plain-loops");
      EXPECT_EQ(record.max_error_over_bound > 0, output != DType::kF32);  // as the reference
      EXPECT_LE(record.max_error_over_bound, 1);
      EXPECT_EQ(record.alarms, 0);
      EXPECT_LT(record.relative_l2, 0x1p-8);
    }
  }
}

TEST(Check, AlphaAndBetaAndInterleavedBatches) {
  GemmProblem p = small();
  p.batch = 2;
  p.a.batch_stride = p.b.batch_stride = 0;
  p.d.ld = 2 * 33 + 5;  // row r of matrix 1 follows row r of matrix 0
  p.d.batch_stride = 33;
  p.c = p.d;
  Bench bench(p, {-0.5f, 3.0f});
  const CheckRecord record = bench.judge(right_gemm());
  EXPECT_TRUE(record.passed) << record.failure;
  expect_caught(bench.judge([](const GemmProblem& q, GemmArgs args) {
    args.beta = 0;
    return plain_gemm(q, args);
  }),
                "is expected");
}

TEST(Check, EmptyProductsPass) {
  GemmProblem p = default_gemm(0, 5, 7, DType::kF16, DType::kF16);
  Bench empty(p);
  EXPECT_TRUE(empty.judge(right_gemm()).passed);
  p = default_gemm(4, 5, 0, DType::kF16, DType::kF16);
  Bench no_terms(p);
  const CheckRecord record = no_terms.judge(right_gemm());
  EXPECT_TRUE(record.passed) << record.failure;
  EXPECT_EQ(record.elements, 20);
}

TEST(Check, B22_AKernelThatDoesNothing) {
  Bench bench(small());
  const CheckRecord record = bench.judge([](const auto&, const auto&) { return Status{}; });
  expect_caught(record, "element (0, 0) was not written");
  EXPECT_THAT(record.failure, HasSubstr("660 of the 660"));
}

TEST(Check, B22_OneElementOffByTwiceTheBound) {
  Bench bench(small());
  const std::int64_t index = 17 * 33 + 8;
  const double reference = bench.expected.values[static_cast<std::size_t>(index)];
  const double bound =
      limits_for(DType::kF16, 40, reference, bench.expected.magnitude(0, 17, 8)).bound;
  for (const double sign : {-1.0, 1.0}) {
    const auto put = [&](double times) {
      return bench.judge(spoiled([&](const GemmProblem& p, const GemmArgs& args) {
        set_element(p.d, args.d, index_of(p.d, 0, 17, 8), reference + sign * times * bound);
      }));
    };
    const CheckRecord record = put(2.0);
    expect_caught(record, "element (17, 8)");
    EXPECT_NEAR(record.max_error_over_bound, 2.0, 1.0);
    EXPECT_GE(record.alarms, 1);
    EXPECT_TRUE(put(0.25).passed);
  }
}

TEST(Check, B22_OneNaN) {
  Bench bench(small());
  expect_caught(bench.judge(spoiled([](const GemmProblem& p, const GemmArgs& args) {
    set_element(p.d, args.d, index_of(p.d, 0, 19, 32), std::numeric_limits<double>::quiet_NaN());
  })),
                "element (19, 32) is nan where");
}

TEST(Check, B22_LastRowMissing) {
  Bench bench(small());
  const CheckRecord record = bench.judge(
      [](const GemmProblem& p, const GemmArgs& args) { return plain_gemm(p, args, p.m - 1); });
  expect_caught(record, "element (19, 0) was not written");
  EXPECT_THAT(record.failure, HasSubstr("33 of the 660"));
}

// A reference gone wrong makes no answer right, whatever it is.
TEST(Check, B22_ReferenceAllNaNOrAllZeroOrWrong) {
  const auto constant = [](double value) {
    return [value](const GemmProblem& p, const GemmArgs& args) {
      for (std::int64_t i = 0; i < p.m * p.n; ++i) set_element(p.d, args.d, i, value);
      return Status{};
    };
  };
  const Gemm nan = constant(std::numeric_limits<double>::quiet_NaN());
  Bench all_nan(small(), kPlain, nan);
  expect_caught(all_nan.judge(nan), "the reference plain-loops is NaN");
  expect_caught(all_nan.judge(right_gemm()), "the reference plain-loops is NaN");

  const Gemm zero = constant(0);
  Bench all_zero(small(), kPlain, zero);
  expect_caught(all_zero.judge(zero), "is all zero");

  const Gemm last_row_stale = [](const GemmProblem& p, const GemmArgs& args) {
    Status status = plain_gemm(p, args);
    set_element(p.d, args.d, (p.m - 1) * p.n, 1.5);
    return status;
  };
  Bench wrong(small(), kPlain, last_row_stale);
  expect_caught(wrong.judge(last_row_stale), "where float64 loops give");
}

TEST(Check, B22_InputsChangedByTheCall) {
  for (const bool change_a : {true, false}) {
    Bench bench(small());
    expect_caught(bench.judge(spoiled([&](const GemmProblem& p, const GemmArgs& args) {
      // After the product, so that the output is right.
      set_element(p.a, const_cast<void*>(change_a ? args.a : args.b), 3, 0.75);
    })),
                  change_a ? "input A" : "input B");
  }
}

TEST(Check, B22_OldOutputIsNotTakenForNew) {
  Bench bench(small());
  bool first = true;
  const Gemm once = [&](const GemmProblem& p, const GemmArgs& args) {
    return std::exchange(first, false) ? plain_gemm(p, args) : Status{};
  };
  EXPECT_TRUE(bench.judge(once).passed);
  expect_caught(bench.judge(once), "was not written");
}

TEST(Check, B22_WritesOutsideOfD) {
  GemmProblem gaps = small();
  gaps.d.ld = 40;
  for (const std::int64_t index : {-1L, 33L, 39L, 20L * 40 - 7, 20L * 40 + 50}) {
    Bench bench(gaps);
    expect_caught(bench.judge(spoiled([&](const GemmProblem& p, const GemmArgs& args) {
      set_element(p.d, args.d, index, 0.0);
    })),
                  "wrote outside of D");
  }
}

// Without the full reference everything must still be written, and the sample still be right.
TEST(Check, SampleOnlyFindsWrongAndMissingElements) {
  Bench bench(default_gemm(300, 200, 8, DType::kF32, DType::kF32));
  bench.expected.values.clear();
  const CheckRecord right = bench.judge(right_gemm());
  EXPECT_TRUE(right.passed) << right.failure;
  EXPECT_EQ(right.elements, 128 * 128);
  EXPECT_EQ(right.reference, "float64-sample");
  expect_caught(bench.judge(spoiled([](const GemmProblem& p, const GemmArgs& args) {
    set_element(p.d, args.d, index_of(p.d, 0, 299, 199), 9.0);
  })),
                "element (299, 199)");
  // Any element at all: one that the sample leaves out is found by its poison.
  for (const std::int64_t row : {0, 1, 2, 3, 4}) {
    expect_caught(bench.judge(spoiled([&](const GemmProblem& p, const GemmArgs& args) {
      std::memset(static_cast<float*>(args.d) + index_of(p.d, 0, row, 1), 0xff, 4);
    })),
                  "was not written");
  }
}

// Two rows in f16: the first sums up to 65530, which rounds to infinity although it is nearer to
// 65504, the largest value, than the bound; the second to 200.
TEST(Check, OverflowToInfinityIsRightAndOnlyThere) {
  const GemmProblem p = default_gemm(2, 2, 400, DType::kF16, DType::kF16);
  std::vector<std::byte> a(2 * 800), b(2 * 800), image(8);
  for (std::int64_t i = 0; i < 800; ++i) {
    set_element(p.a, a.data(), i, i < 218 ? 300.0 : i == 218 ? 130.0 : i < 400 ? 0.0 : 0.5);
    set_element(p.b, b.data(), i, 1.0);
  }
  std::vector<float> values(4);
  GemmProblem wide = p;
  wide.d.type = DType::kF32;
  ASSERT_TRUE(plain_gemm(wide, {.a = a.data(), .b = b.data(), .d = values.data()}));
  ASSERT_EQ(values[0], 65530.0f);
  Result<Expected> expected = make_expected(p, {.a = a, .b = b, .c = {}}, "plain", values);
  ASSERT_TRUE(expected);
  ASSERT_TRUE(plain_gemm(p, {.a = a.data(), .b = b.data(), .d = image.data()}));
  const CheckRecord right = check_output(*expected, image, 0);
  EXPECT_TRUE(right.passed) << right.failure;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(element(p.d, image.data(), 0), static_cast<float>(infinity));

  for (const double wrong : {65504.0, -infinity}) {
    set_element(p.d, image.data(), 0, wrong);
    expect_caught(check_output(*expected, image, 0), "element (0, 0)");
  }
  set_element(p.d, image.data(), 0, infinity);
  set_element(p.d, image.data(), 3, infinity);
  expect_caught(check_output(*expected, image, 0), "element (1, 1)");
}

}  // namespace
}  // namespace tilewright::measure
