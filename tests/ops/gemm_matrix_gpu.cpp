#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ops/gemm_matrix_harness.h"
#include "tests/ops/gpu_harness.h"

namespace tilewright::tests {
namespace {

class GemmMatrix : public OnCard<::testing::TestWithParam<std::string>> {
 protected:
  void SetUp() override {
    OnCard::SetUp();
    if (IsSkipped()) return;
    const std::vector<KernelInfo> rows = rows_for(device());
    if (std::ranges::find(rows, GetParam(), &KernelInfo::name) == rows.end()) {
      GTEST_SKIP() << GetParam() << " is not for compute capability "
                   << device().compute_capability();
    }
  }
};

TEST_P(GemmMatrix, RightOnEveryProblemItTakes) {
  expect_row_right_on_all_problems(GetParam(), device());
}

TEST_P(GemmMatrix, RefusesMisalignedPointers) {
  expect_row_refuses_misaligned(GetParam(), device());
}

INSTANTIATE_TEST_SUITE_P(Cuda, GemmMatrix, ::testing::ValuesIn(row_names(Backend::kCuda)),
                         [](const auto& info) { return case_name(info.param); });

}  // namespace
}  // namespace tilewright::tests
