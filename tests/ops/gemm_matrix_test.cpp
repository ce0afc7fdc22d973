#include <gtest/gtest.h>

#include "tests/ops/gemm_matrix_harness.h"

namespace tilewright::tests {
namespace {

class GemmMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(GemmMatrix, RightOnEveryProblemItTakes) {
  expect_row_right_on_all_problems(GetParam(), cpu_device());
}

TEST_P(GemmMatrix, RefusesMisalignedPointers) {
  expect_row_refuses_misaligned(GetParam(), cpu_device());
}

INSTANTIATE_TEST_SUITE_P(Cpu, GemmMatrix, ::testing::ValuesIn(row_names(Backend::kCpu)),
                         [](const auto& info) { return case_name(info.param); });

}  // namespace
}  // namespace tilewright::tests
