// The kernels that take any order, pitch, alignment and type, on problems that only those reach:
// every column-major operand, rows that start anywhere, D of another type than the inputs, C that
// is D, batches that repeat an operand. Checked as on a card: against the oracle of tests/ops, with
// canaries around and between rows.
#include <gtest/gtest.h>

#include "tests/ops/gemm_harness.h"

namespace tilewright::tests {
namespace {

// The operands lie in host memory, where the simulator reads them.
std::string check_simulated(const GemmCase& test, const SimInfo& sim, const std::string& kernel,
                            bool& accepted) {
  DeviceInfo device = *sim_device("h200");
  device.sim = sim;
  const Result<GemmPlan> plan = plan_gemm(test.problem, device, {.kernel = kernel});
  accepted = plan.ok();
  if (!accepted) {
    return plan.status().code() == StatusCode::kUnsupported ? "" : plan.status().message();
  }
  GemmRun run(test, cpu_device());
  const Status status = run.launch(*plan);
  return status.ok() ? run.check() : status.message();
}

GemmCase layout_case(int orders, DType inputs, DType output, std::int64_t padding) {
  const auto order = [&](int bit) {
    return orders >> bit & 1 ? Order::kColMajor : Order::kRowMajor;
  };
  GemmCase test;
  GemmProblem& p = test.problem;
  p.m = 35;
  p.n = 19;
  p.k = 21;
  const auto any = [&](DType type, int bit, std::int64_t rows, std::int64_t columns) {
    return operand(type, order(bit), rows, columns, padding,
                   padding == 0 ? 16 : static_cast<int>(bytes_of(type, 1)));
  };
  p.a = any(inputs, 0, p.m, p.k);
  p.b = any(inputs, 1, p.k, p.n);
  p.d = any(output, 2, p.m, p.n);
  p.c = any(output, 3, p.m, p.n);
  test.alpha = -0.75f;
  test.beta = 0.5f;
  test.c_source = CSource::kApart;
  test.seed = static_cast<std::uint64_t>(orders) + 1;
  return test;
}

// Each with its own schedule, in turn through the copy timings.
SimInfo schedule(std::uint64_t number) {
  constexpr SimCopies kAll[] = {SimCopies::kEarly, SimCopies::kLate, SimCopies::kRandom};
  return {.seed = number + 1, .copies = kAll[number % 3]};
}

std::vector<std::string> cuda_kernels() {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : list_gemm()) {
    if (kernel.backend == Backend::kCuda) names.emplace_back(kernel.name);
  }
  return names;
}

class SimulatedLayouts : public testing::TestWithParam<std::string> {
 protected:
  // The Hopper kernel takes B [N,K] alone.
  static Order order_b() {
    return GetParam().find("sm90") == std::string::npos ? Order::kRowMajor : Order::kColMajor;
  }
  void check(const GemmCase& test) {
    bool accepted = false;
    EXPECT_EQ(check_simulated(test, schedule(tried_++), GetParam(), accepted), "")
        << describe(test);
    accepted_ += accepted;
  }
  std::uint64_t tried_ = 0;
  int accepted_ = 0;
};

TEST_P(SimulatedLayouts, EveryOrderOfEveryOperand) {
  for (int orders = 0; orders < 16; ++orders) {
    for (const std::int64_t padding : {0, 3}) {
      check(layout_case(orders, DType::kF16, DType::kF32, padding));
    }
  }
  const bool takes_any =
      GetParam().ends_with("v0") || GetParam().ends_with("v1") || GetParam().ends_with("reference");
  EXPECT_EQ(accepted_, takes_any ? 32 : 0);  // 21 columns: no fast kernel's rows
}

TEST_P(SimulatedLayouts, EveryPairOfTypes) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
  for (const DType inputs : kTypes) {
    for (const DType output : kTypes) {
      GemmCase test;
      test.problem =
          packed_gemm(24, 16, 72, inputs, output, Order::kRowMajor, order_b(), Order::kRowMajor);
      test.seed = 5;
      check(test);
    }
  }
  // Two input types with two outputs each for the tensor cores, three with two for v1.
  const int expected = GetParam().ends_with("v0") || GetParam().ends_with("reference") ? 9
                       : GetParam().ends_with("v1")                                    ? 5
                                                                                       : 4;
  EXPECT_EQ(accepted_, expected);
}

TEST_P(SimulatedLayouts, CIsDAndBatchesRepeatAnOperand) {
  for (int repeated = 0; repeated < 4; ++repeated) {
    GemmCase test;
    GemmProblem& p = test.problem;
    p = packed_gemm(40, 24, 72, DType::kBF16, DType::kBF16, Order::kRowMajor, order_b(),
                    Order::kRowMajor);
    p.batch = 3;
    stack_batch(p, 8);
    if (repeated & 1) p.a.batch_stride = 0;
    if (repeated & 2) p.b.batch_stride = 0;
    test.alpha = 2.0f;
    test.beta = -1.0f;
    test.c_source = CSource::kIsD;
    p.c = p.d;
    test.seed = static_cast<std::uint64_t>(repeated) + 11;
    check(test);
  }
  // Tensor maps step from matrix to matrix: the Hopper kernel takes no stride of 0.
  EXPECT_EQ(accepted_, GetParam().find("sm90") == std::string::npos ? 4 : 1);
}

// More than one cluster in both directions, and a ring that goes round more than twice. The
// oracle's own kernel has tiles of 32 x 32 and no stages.
TEST_P(SimulatedLayouts, ManyTilesAndManyStages) {
  const bool is_reference = GetParam() == "gemm-cuda-reference";
  GemmCase test;
  test.problem = is_reference ? packed_gemm(70, 40, 72, DType::kF16, DType::kF16, Order::kRowMajor,
                                            order_b(), Order::kRowMajor)
                              : packed_gemm(264, 136, 648, DType::kF16, DType::kF16,
                                            Order::kRowMajor, order_b(), Order::kRowMajor);
  test.seed = 21;
  check(test);
  EXPECT_EQ(accepted_, 1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SimulatedLayouts, testing::ValuesIn(cuda_kernels()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tilewright::tests
