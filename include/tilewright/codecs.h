// The number formats as functions on buffers in host memory, for tools and tests that need the
// library's own rounding without its internals. Formats: docs/formats.md.
#pragma once

#include <cstdint>

#include "tilewright/dtype.h"
#include "tilewright/status.h"

namespace tilewright {

// Rounds `count` values to `type` (to nearest, ties to even; overflow as the format defines it).
// f32, f16, bf16, e4m3, e8m0, and e2m1 (packed, low nibble first); others are refused.
Status encode(DType type, const float* values, std::int64_t count, void* out);
// One rounding straight from double: what a reference needs (double to float to f16 rounds twice).
Status encode(DType type, const double* values, std::int64_t count, void* out);

// Every value of these types is a float, so this is exact.
Status decode(DType type, const void* values, std::int64_t count, float* out);

}  // namespace tilewright
