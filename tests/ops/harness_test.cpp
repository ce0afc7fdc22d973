// A check that cannot fail checks nothing: here are the wrong kernels that it must catch (B22).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "tests/ops/gemm_harness.h"

namespace tilewright::tests {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Odd sizes, padded lines, two entries, C apart.
GemmCase padded_case() {
  GemmCase test;
  GemmProblem& p = test.problem;
  p = packed_gemm(9, 7, 33, DType::kF32, DType::kF32, Order::kRowMajor, Order::kColMajor,
                  Order::kRowMajor);
  for (Operand* layout : {&p.a, &p.b, &p.c, &p.d}) layout->ld += 5;
  p.batch = 2;
  stack_batch(p, 3);
  test.alpha = -0.75f;
  test.beta = 0.5f;
  test.c_source = CSource::kApart;
  test.seed = test_seed();
  return test;
}

// What check() says of a kernel that is right and then does `damage`.
std::string verdict(const GemmCase& test,
                    const std::function<void(const GemmArgs&, const Expected&)>& damage) {
  GemmRun run(test, cpu_device());
  const GemmProblem& p = test.problem;
  const GemmArgs args = run.args();
  float* const d = static_cast<float*>(args.d);
  for (std::int64_t entry = 0; entry < p.batch; ++entry) {
    const Expected expected = run.expected(entry);
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        d[entry * p.d.batch_stride + i * p.d.ld + j] =
            static_cast<float>(expected.value[static_cast<std::size_t>(i * p.n + j)]);
      }
    }
  }
  damage(args, run.expected(0));
  return run.check();
}

float* d_of(const GemmArgs& args) {
  return static_cast<float*>(args.d);
}

TEST(Harness, B22_passes_a_right_kernel) {
  EXPECT_EQ(verdict(padded_case(), [](const GemmArgs&, const Expected&) {}), "");
  GemmCase in_place = padded_case();
  in_place.c_source = CSource::kIsD;
  in_place.problem.c = in_place.problem.d;
  EXPECT_EQ(verdict(in_place, [](const GemmArgs&, const Expected&) {}), "");
}

TEST(Harness, B22_catches_no_kernel_at_all) {
  GemmRun untouched(padded_case(), cpu_device());
  EXPECT_NE(untouched.check(), "");
  GemmCase zeros = padded_case();
  zeros.d_before = all(0);
  GemmRun left_zero(zeros, cpu_device());
  EXPECT_NE(left_zero.check(), "");
}

TEST(Harness, B22_catches_one_element_off_by_twice_the_bound) {
  for (const double sign : {1.0, -1.0}) {
    const auto damage = [&](const GemmArgs& args, const Expected& expected) {
      const double bound = hard_bound(padded_case().problem, expected, 3);
      d_of(args)[3] = static_cast<float>(expected.value[3] + sign * 2 * bound);
    };
    EXPECT_NE(verdict(padded_case(), damage), "");
    GemmCase not_random = padded_case();  // where the alarm for random data is off
    not_random.a = [](std::int64_t, std::int64_t i, std::int64_t k) {
      return static_cast<float>(1 + i * k) / 100;
    };
    EXPECT_NE(verdict(not_random, damage), "");
  }
}

TEST(Harness, B22_catches_one_element_of_the_last_entry) {
  const GemmProblem p = padded_case().problem;
  EXPECT_NE(verdict(padded_case(),
                    [&](const GemmArgs& args, const Expected&) {
                      d_of(args)[p.d.batch_stride + (p.m - 1) * p.d.ld + p.n - 1] *= 1.001f;
                    }),
            "");
}

TEST(Harness, B22_catches_one_nan_or_infinity) {
  for (const float wrong : {kNan, kInf, -kInf}) {
    EXPECT_NE(verdict(padded_case(),
                      [&](const GemmArgs& args, const Expected&) { d_of(args)[0] = wrong; }),
              "");
  }
}

TEST(Harness, B22_catches_a_missing_last_row) {
  const GemmProblem p = padded_case().problem;
  EXPECT_NE(verdict(padded_case(),
                    [&](const GemmArgs& args, const Expected&) {
                      float* const row = d_of(args) + (p.m - 1) * p.d.ld;
                      std::fill(row, row + p.n, kNan);
                    }),
            "");
}

TEST(Harness, B22_catches_writes_outside) {
  const GemmProblem p = padded_case().problem;
  const std::int64_t past_the_end = p.d.batch_stride + (p.m - 1) * p.d.ld + p.n;
  const std::int64_t between_entries = (p.m - 1) * p.d.ld + p.n;
  for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{-1000}, p.n, p.d.ld - 1,
                                between_entries, past_the_end, past_the_end + 1000}) {
    EXPECT_NE(verdict(padded_case(),
                      [&](const GemmArgs& args, const Expected&) { d_of(args)[at] = 1.0f; }),
              "")
        << "element " << at << " of D";
  }
}

TEST(Harness, B22_catches_changed_inputs) {
  for (const void* GemmArgs::*const input : {&GemmArgs::a, &GemmArgs::b, &GemmArgs::c}) {
    EXPECT_NE(verdict(padded_case(),
                      [&](const GemmArgs& args, const Expected&) {
                        *static_cast<float*>(const_cast<void*>(args.*input)) = 42.0f;
                      }),
              "");
  }
}

TEST(Harness, B22_catches_a_reference_that_says_nothing) {
  const GemmCase test = padded_case();
  GemmRun run(test, cpu_device());
  const Expected good = run.expected(0);
  std::vector<float> got(good.value.begin(), good.value.end());
  ASSERT_EQ(compare_entry(test, 0, good, got), "");

  Expected all_nan = good;
  std::fill(all_nan.value.begin(), all_nan.value.end(), kNan);
  EXPECT_NE(compare_entry(test, 0, all_nan, got), "");
  EXPECT_NE(compare_entry(test, 0, all_nan, std::vector<float>(got.size(), kNan)), "");

  Expected all_zero = good;
  std::fill(all_zero.value.begin(), all_zero.value.end(), 0.0);
  EXPECT_NE(compare_entry(test, 0, all_zero, std::vector<float>(got.size(), 0.0f)), "");

  Expected infinite_bound = good;
  std::fill(infinite_bound.product_magnitude.begin(), infinite_bound.product_magnitude.end(), kInf);
  EXPECT_NE(compare_entry(test, 0, infinite_bound, std::vector<float>(got.size(), 5.0f)), "");

  EXPECT_NE(compare_entry(test, 0, Expected{}, {}), "");
}

TEST(Harness, B22_compares_classes_where_special_values_are_meant) {
  GemmCase test = padded_case();
  test.special_values = true;
  GemmRun run(test, cpu_device());
  Expected expected = run.expected(0);
  std::vector<float> got(expected.value.begin(), expected.value.end());
  expected.value[1] = kNan;
  expected.value[2] = kInf;
  got[1] = kNan;
  got[2] = kInf;
  EXPECT_EQ(compare_entry(test, 0, expected, got), "");
  for (const auto& [element, wrong] :
       {std::pair{1, 0.0f}, {1, kInf}, {2, kNan}, {2, -kInf}, {2, 3e38f}, {3, kInf}, {3, kNan}}) {
    std::vector<float> mutant = got;
    mutant[static_cast<std::size_t>(element)] = wrong;
    EXPECT_NE(compare_entry(test, 0, expected, mutant), "") << element << " " << wrong;
  }
}

TEST(Harness, B22_exact_means_exact) {
  GemmCase test = padded_case();
  test.a = test.b = all(1);
  test.beta = 0;
  test.c_source = CSource::kNone;
  test.exact = all(-24.75f);
  EXPECT_EQ(verdict(test, [](const GemmArgs&, const Expected&) {}), "");
  EXPECT_NE(verdict(test, [](const GemmArgs& args,
                             const Expected&) { d_of(args)[5] = std::nextafter(-24.75f, 0.0f); }),
            "");
}

// f16 overflow: 65519 is still 65504, 65520 is infinity, and near the edge either will do.
TEST(Harness, B22_knows_where_an_output_overflows) {
  GemmCase test;
  test.problem = packed_gemm(1, 1, 1, DType::kF16, DType::kF16, Order::kRowMajor, Order::kRowMajor,
                             Order::kRowMajor);
  test.special_values = true;
  test.a = all(0);
  const auto accepts = [&](double value, float got) {
    return compare_entry(test, 0, {{value}, {std::abs(value)}, {0}}, {got}).empty();
  };
  EXPECT_TRUE(accepts(70000, kInf));
  EXPECT_FALSE(accepts(70000, -kInf));
  EXPECT_FALSE(accepts(60000, kInf));
  EXPECT_TRUE(accepts(65519.99, kInf));
  EXPECT_TRUE(accepts(65519.99, 65504.0f));
}

TEST(Harness, SeedsReplay) {
  Random once(test_seed()), again(test_seed()), other(test_seed() + 1);
  const std::uint64_t first = once.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, other.next());
  EXPECT_NE(once.next(), first);
  for (int i = 0; i < 1000; ++i) {
    const float value = once.uniform();
    EXPECT_GE(value, -1.0f);
    EXPECT_LT(value, 1.0f);
  }
}

}  // namespace
}  // namespace tilewright::tests
