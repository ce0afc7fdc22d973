// Products that fill the card for many waves. Small ones forgive a missing wait, since every copy
// arrives in time; here the memory is busy and late copies are real.
#include <gtest/gtest.h>

#include <string>

#include "measure/protocol/compare.h"
#include "tests/ops/gpu_harness.h"

namespace tilewright::tests {
namespace {

using GemmLarge = OnCard<::testing::TestWithParam<std::string>>;

GemmProblem product(std::int64_t m, std::int64_t n, std::int64_t k, Order order_b) {
  GemmProblem problem = default_gemm(m, n, k, DType::kF16, DType::kF16);
  problem.b.order = order_b;
  problem.b.ld = order_b == Order::kRowMajor ? n : k;
  return problem;
}

TEST_P(GemmLarge, G03_ordinary_sizes_whole_output) {
  for (const Order order : {Order::kRowMajor, Order::kColMajor}) {
    for (const auto& problem : {product(1024, 2048, 1024, order), product(2048, 1024, 4096, order),
                                product(4096, 4096, 4096, order), product(4096, 4096, 64, order),
                                product(4100, 4104, 4088, order)}) {
      const auto checked = measure::verify(GetParam(), problem, device(), 3, 1.0f, 0.0f);
      if (!checked.ok()) {
        EXPECT_EQ(checked.status().code(), StatusCode::kUnsupported) << checked.status().message();
        continue;
      }
      EXPECT_TRUE(checked->passed) << checked->failure;
      EXPECT_EQ(checked->elements, problem.m * problem.n);
      EXPECT_EQ(checked->alarms, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, GemmLarge,
                         ::testing::Values("gemm-cuda-ladder-v1", "gemm-cuda-ladder-v2",
                                           "gemm-cuda-ladder-v3", "gemm-cuda-ladder-v4"),
                         [](const auto& row) {
                           std::string name = row.param;
                           for (char& each : name) each = each == '-' ? '_' : each;
                           return name;
                         });

}  // namespace
}  // namespace tilewright::tests
