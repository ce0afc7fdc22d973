#include "tests/ops/gemm_matrix_harness.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright::tests {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
constexpr Order kOrders[] = {Order::kRowMajor, Order::kColMajor};

// Around the sides of vectors, MMA tiles (16 x 8 x 16), warp tiles (64 x 32) and block tiles
// (128 x 128 x 32).
const std::vector<std::int64_t> kSides = {1,  2,  3,  7,  8,   15,  16,  17,  31,  32,  33,
                                          63, 64, 65, 96, 127, 128, 129, 130, 255, 256, 257};
// No, one, two and more tiles of a two-stage pipeline, whole and torn.
const std::vector<std::int64_t> kDepths = {0,  1,  2,  7,  8,  15, 16,  17,  24,  31, 32,
                                           33, 40, 63, 64, 65, 96, 100, 128, 160, 257};

struct Sizes {
  std::int64_t m, n, k;
};

// What the fast kernels ask for: every line and every matrix begins on 16 bytes.
std::int64_t to_16_bytes(DType type, std::int64_t elements) {
  const std::int64_t step = 16 / bytes_of(type, 1);
  return (elements + step - 1) / step * step;
}

GemmCase aligned_case(Sizes s, DType inputs, DType output, Order b, std::int64_t extra = 0) {
  GemmCase test;
  GemmProblem& p = test.problem;
  p = packed_gemm(s.m, s.n, s.k, inputs, output, Order::kRowMajor, b, Order::kRowMajor);
  for (Operand* layout : {&p.a, &p.b, &p.c, &p.d}) {
    layout->ld = to_16_bytes(layout->type, layout->ld) + to_16_bytes(layout->type, extra);
  }
  return test;
}

// Scalars and C, which every kernel's epilogue must honour.
void draw_epilogue(GemmCase& test, Random& random) {
  test.alpha = random.pick<float>({1.0f, 1.0f, 1.0f, -0.75f, 2.0f, 0.0f});
  test.beta = random.pick<float>({0.0f, 0.0f, 1.0f, 0.5f, -1.0f});
  const bool reads_c = test.beta != 0.0f;
  test.c_source = random.pick<CSource>(
      {CSource::kApart, CSource::kIsD, reads_c ? CSource::kIsD : CSource::kNone});
  GemmProblem& p = test.problem;
  if (test.c_source == CSource::kIsD) p.c = p.d;
  if (test.c_source == CSource::kApart && random.one_in(2)) {
    p.c = operand(p.d.type, kOrders[random.below(2)], p.m, p.n, random.below(20),
                  static_cast<int>(bytes_of(p.d.type, 1)));
  }
}

void draw_batch(GemmCase& test, Random& random, std::int64_t padding) {
  GemmProblem& p = test.problem;
  p.batch = random.pick<std::int64_t>({1, 1, 1, 2, 3});
  stack_batch(p, padding);
  if (random.one_in(4)) p.a.batch_stride = 0;
  if (random.one_in(4)) p.b.batch_stride = 0;
  if (test.c_source == CSource::kIsD) p.c = p.d;
  if (test.c_source == CSource::kApart && random.one_in(4)) p.c.batch_stride = 0;
}

void draw_rest(GemmCase& test, Random& random) {
  test.cpu_threads = static_cast<int>(random.below(4));
  test.own_stream = random.one_in(2);
  test.seed = random.next();
}

Sizes draw_sizes(Random& random) {
  return {random.pick(kSides), random.pick(kSides), random.pick(kDepths)};
}

// Half-precision operands on 16 bytes, as the ladder takes them.
GemmCase draw_aligned(Random& random) {
  const DType inputs = random.one_in(2) ? DType::kF16 : DType::kBF16;
  const DType output = random.one_in(2) ? inputs : kTypes[random.below(3)];
  const Order b = random.one_in(4) ? Order::kColMajor : Order::kRowMajor;
  GemmCase test = aligned_case(draw_sizes(random), inputs, output, b, random.below(3) * 8);
  draw_epilogue(test, random);
  draw_batch(test, random, random.one_in(2) ? 8 : 0);
  draw_rest(test, random);
  return test;
}

// Any types, orders, leading dimensions and alignments.
GemmCase draw_anything(Random& random) {
  const Sizes s = draw_sizes(random);
  const auto any_operand = [&](std::int64_t rows, std::int64_t columns, DType type) {
    const std::int64_t padding = random.one_in(2) ? 0 : random.below(20);
    const int alignment = static_cast<int>(bytes_of(type, 1)) << random.below(4);
    return operand(type, kOrders[random.below(2)], rows, columns, padding, alignment);
  };
  GemmCase test;
  GemmProblem& p = test.problem;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  const DType inputs = kTypes[random.below(3)];
  const DType output = kTypes[random.below(3)];
  p.a = any_operand(s.m, s.k, inputs);
  p.b = any_operand(s.k, s.n, random.one_in(6) ? kTypes[random.below(3)] : inputs);
  p.d = any_operand(s.m, s.n, output);
  p.c = any_operand(s.m, s.n, output);
  draw_epilogue(test, random);
  draw_batch(test, random, random.below(3));
  draw_rest(test, random);
  return test;
}

// Each special side in each place, the others small and odd to the tiles.
void add_edges(std::vector<GemmCase>& cases) {
  for (const std::int64_t side : kSides) {
    cases.push_back(aligned_case({side, 72, 40}, DType::kF16, DType::kF16, Order::kRowMajor));
    cases.push_back(aligned_case({36, side, 72}, DType::kBF16, DType::kF32, Order::kRowMajor));
  }
  for (const std::int64_t depth : kDepths) {
    cases.push_back(aligned_case({130, 129, depth}, DType::kF16, DType::kF32, Order::kRowMajor));
    cases.push_back(aligned_case({20, 40, depth}, DType::kBF16, DType::kBF16, Order::kColMajor));
  }
}

void add_every_order_and_type(std::vector<GemmCase>& cases) {
  for (const DType inputs : kTypes) {
    for (const DType output : kTypes) {
      for (int orders = 0; orders < 8; ++orders) {
        GemmCase test;
        test.problem = packed_gemm(33, 18, 21, inputs, output, kOrders[orders & 1],
                                   kOrders[orders >> 1 & 1], kOrders[orders >> 2]);
        test.beta = 0.5f;
        test.c_source = CSource::kApart;
        cases.push_back(test);
      }
    }
  }
}

// Longer than the cache blocks that the CPU cuts K, M and N into.
void add_long(std::vector<GemmCase>& cases) {
  for (const DType output : {DType::kF32, DType::kBF16}) {
    for (const Sizes s :
         {Sizes{20, 40, 400}, Sizes{9, 33, 1201}, Sizes{1100, 20, 450}, Sizes{20, 2100, 450}}) {
      GemmCase test = aligned_case(s, DType::kBF16, output, Order::kRowMajor);
      cases.push_back(test);
      test.beta = 0.5f;
      test.c_source = CSource::kIsD;
      cases.push_back(test);
    }
  }
}

void add_empty(std::vector<GemmCase>& cases) {
  for (const Sizes s : {Sizes{0, 5, 3}, Sizes{5, 0, 3}, Sizes{0, 0, 0}}) {
    cases.push_back(aligned_case(s, DType::kF16, DType::kF16, Order::kRowMajor));
  }
  cases.push_back(aligned_case({8, 8, 8}, DType::kF16, DType::kF16, Order::kRowMajor));
  cases.back().problem.batch = 0;
}

}  // namespace

std::vector<GemmCase> gemm_problems(std::uint64_t seed) {
  constexpr int kDrawn = 300;
  std::vector<GemmCase> cases;
  add_edges(cases);
  add_every_order_and_type(cases);
  add_long(cases);
  add_empty(cases);
  Random random(seed);
  for (GemmCase& test : cases) test.seed = random.next();
  for (int i = 0; i < kDrawn; ++i) {
    cases.push_back(i % 2 == 0 ? draw_aligned(random) : draw_anything(random));
  }
  return cases;
}

void expect_row_right_on_all_problems(std::string_view kernel, const DeviceInfo& device) {
  constexpr int kShownFailures = 5;
  int accepted = 0, failures = 0;
  for (const GemmCase& test : gemm_problems(test_seed())) {
    const Outcome outcome = run_and_check(test, device, kernel);
    if (!outcome.accepted) {
      EXPECT_NE(outcome.text.find(kernel), std::string::npos) << outcome.text;
      continue;
    }
    ++accepted;
    if (outcome.text.empty()) continue;
    ADD_FAILURE() << kernel << " on " << describe(test) << "\n  " << outcome.text;
    if (++failures == kShownFailures) FAIL() << "the first failures are enough";
  }
  EXPECT_GT(accepted, 0) << kernel << " takes no problem of the list";
  ::testing::Test::RecordProperty("accepted_problems", accepted);
}

void expect_row_refuses_misaligned(std::string_view kernel, const DeviceInfo& device) {
  const PlanOptions options{.kernel = std::string(kernel), .cpu_threads = 1};
  GemmCase test = aligned_case({8, 64, 64}, DType::kF16, DType::kF16, Order::kRowMajor);
  Result<GemmPlan> plan = plan_gemm(test.problem, device, options);
  if (!plan.ok()) {
    test = aligned_case({8, 64, 64}, DType::kF16, DType::kF16, Order::kColMajor);
    plan = plan_gemm(test.problem, device, options);
  }
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  test.beta = 1.0f;
  test.c_source = CSource::kApart;
  GemmRun run(test, device);
  const auto moved = [](const void* pointer) { return static_cast<const std::byte*>(pointer) + 8; };
  GemmArgs wrong[4];
  std::fill(std::begin(wrong), std::end(wrong), run.args());
  wrong[0].a = moved(wrong[0].a);
  wrong[1].b = moved(wrong[1].b);
  wrong[2].c = moved(wrong[2].c);
  wrong[3].d = static_cast<std::byte*>(wrong[3].d) + 8;
  for (const GemmArgs& args : wrong) {
    const Status status = plan->run(args);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("16 bytes"), std::string::npos) << status.message();
  }
  EXPECT_EQ(device_fault(device), "");
  EXPECT_EQ(run.d_damage(), "");
  EXPECT_TRUE(run.launch(*plan).ok());
  EXPECT_EQ(run.check(), "") << "the next good call after a refusal";
}

std::vector<std::string> row_names(Backend backend) {
  std::vector<std::string> names;
  for (const KernelInfo& row : list_gemm()) {
    if (row.backend == backend) names.emplace_back(row.name);
  }
  return names;
}

std::string case_name(std::string row_name) {
  std::replace(row_name.begin(), row_name.end(), '-', '_');
  return row_name;
}

}  // namespace tilewright::tests
