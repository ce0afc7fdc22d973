// The cases of real reports that make sense on every backend, one function each, named after the
// report's id. Each runs on the planner's choice and on every row of the device that takes it.
#pragma once

#include "tests/ops/gemm_harness.h"

namespace tilewright::tests {

void g01_odd_sizes(const DeviceInfo& device);
void g04_smallest_tile(const DeviceInfo& device);
void g06_row_pitch(const DeviceInfo& device);
void g07_views(const DeviceInfo& device);
void g09_beta_zero_ignores_c(const DeviceInfo& device);
void g10_alpha_zero_ignores_a_and_b(const DeviceInfo& device);
void g11_k_zero(const DeviceInfo& device);
void g13_large_batch(const DeviceInfo& device);
void g15_wide_batch_stride(const DeviceInfo& device);
void g17_tall_matrix_vector(const DeviceInfo& device, std::int64_t side);
void g18_accumulator_width(const DeviceInfo& device);
void c22_wide_leading_dimension(const DeviceInfo& device);

}  // namespace tilewright::tests
