#include <gtest/gtest.h>

#include "tests/ops/gemm_cases_harness.h"
#include "tests/ops/gpu_harness.h"

namespace tilewright::tests {
namespace {

class GemmCases : public OnCard<::testing::Test> {
 protected:
  bool lacks(std::int64_t bytes) const { return free_bytes(device()) < bytes; }
};

TEST_F(GemmCases, G01_odd_sizes) {
  g01_odd_sizes(device());
}

TEST_F(GemmCases, G04_smallest_tile) {
  g04_smallest_tile(device());
}

TEST_F(GemmCases, G06_row_pitch) {
  g06_row_pitch(device());
}

TEST_F(GemmCases, G07_views) {
  g07_views(device());
}

TEST_F(GemmCases, G09_beta_zero_ignores_c) {
  g09_beta_zero_ignores_c(device());
}

TEST_F(GemmCases, G10_alpha_zero_ignores_a_and_b) {
  g10_alpha_zero_ignores_a_and_b(device());
}

TEST_F(GemmCases, G11_k_zero) {
  g11_k_zero(device());
}

TEST_F(GemmCases, G13_large_batch) {
  g13_large_batch(device());
}

TEST_F(GemmCases, G15_wide_batch_stride) {
  if (lacks(std::int64_t{5} << 30)) GTEST_SKIP() << "needs 5 GiB of free device memory";
  g15_wide_batch_stride(device());
}

TEST_F(GemmCases, G18_accumulator_width) {
  g18_accumulator_width(device());
}

TEST_F(GemmCases, C22_wide_leading_dimension) {
  if (lacks(std::int64_t{14} << 30)) GTEST_SKIP() << "needs 14 GiB of free device memory";
  c22_wide_leading_dimension(device());
}

TEST_F(GemmCases, G17_tall_matrix_vector) {
  if (lacks(std::int64_t{6} << 30)) GTEST_SKIP() << "needs 6 GiB of free device memory";
  g17_tall_matrix_vector(device(), 50000);
}

}  // namespace
}  // namespace tilewright::tests
