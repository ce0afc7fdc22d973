// Is this output right? On host arrays, any order, leading dimension and batch stride.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/protocol/expected.h"
#include "measure/record/result.h"

namespace tilewright::measure {

// How far an element may be from the reference, and when it is only reported.
struct Limits {
  double accumulation = 0;  // (K + 4) 2^-23 of the magnitude: any order of summation in fp32
  double bound = 0;         // accumulation and the rounding to the output type
  double alarm = 0;         // 8 sqrt(K) 2^-24 of the magnitude and the rounding
};
Limits limits_for(DType output, std::int64_t k, double reference, double magnitude);

// `image` is the memory of D with `guard_bytes` before its first and after its last element, all of
// it poisoned before the run. Every element must have been written and be within its bound of
// `expected`; nothing outside the elements may have been touched.
CheckRecord check_output(const Expected& expected, const std::vector<std::byte>& image,
                         std::int64_t guard_bytes);

}  // namespace tilewright::measure
