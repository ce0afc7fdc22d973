// Every registry row x every problem that it accepts.
#pragma once

#include <string_view>
#include <vector>

#include "tests/ops/gemm_harness.h"

namespace tilewright::tests {

// Problems that reach the edges of every kernel here: a hand-picked part, the same each time, and
// a part drawn from `seed`.
std::vector<GemmCase> gemm_problems(std::uint64_t seed);

// Runs `kernel` on all of them. Fails the present test where a result is wrong, where a refusal
// says nothing, and when the row takes none.
void expect_row_right_on_all_problems(std::string_view kernel, const DeviceInfo& device);

// A pointer below the planned alignment is refused in a sentence, and D stays as it was.
void expect_row_refuses_misaligned(std::string_view kernel, const DeviceInfo& device);

// Rows of a backend by name, for parametrised tests; needs no device.
std::vector<std::string> row_names(Backend backend);
// gtest allows no hyphens in the names of cases.
std::string case_name(std::string row_name);

}  // namespace tilewright::tests
