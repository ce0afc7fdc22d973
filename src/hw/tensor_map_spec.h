// What a tensor map describes, and the rules that the driver has for it, on both targets.
#pragma once

#include <cstdint>

#include "tilewright/status.h"

namespace tilewright::hw {

enum class TensorType : std::uint8_t { kU8, kU16, kU32, kS32, kU64, kF16, kBF16, kF32, kTF32 };
enum class TensorSwizzle : std::uint8_t { kNone, k32, k64, k128 };

constexpr int bytes_of(TensorType type) {
  switch (type) {
    case TensorType::kU8:
      return 1;
    case TensorType::kU16:
    case TensorType::kF16:
    case TensorType::kBF16:
      return 2;
    case TensorType::kU64:
      return 8;
    default:
      return 4;
  }
}

constexpr int width_of(TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::k32:
      return 32;
    case TensorSwizzle::k64:
      return 64;
    case TensorSwizzle::k128:
      return 128;
    case TensorSwizzle::kNone:
      break;
  }
  return 16;
}

inline constexpr int kMostTensorRank = 5;

// Dimension 0 is the contiguous one. A box is what one instruction moves; with element strides
// above 1 it covers `box` elements of the tensor in a dimension and moves every element_strides-th.
struct TensorMapSpec {
  TensorType type;
  int rank;  // 1 to 5
  const void* base;
  std::int64_t extents[kMostTensorRank] = {};              // elements, 1 to 2^32
  std::int64_t strides_bytes[kMostTensorRank - 1] = {};    // of dimensions 1 and up, below 2^40
  int box[kMostTensorRank] = {};                           // elements, 1 to 256
  int element_strides[kMostTensorRank] = {1, 1, 1, 1, 1};  // 1 to 8; 1 in dimension 0
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  bool nan_fill = false;  // what lies outside arrives as NaN and not as zero; floating types only
};

// Ok, or one sentence on the first rule that is broken.
Status check(const TensorMapSpec& spec);

// Elements that a box has in shared memory in dimension `i`.
constexpr int box_elements(const TensorMapSpec& spec, int i) {
  return (spec.box[i] + spec.element_strides[i] - 1) / spec.element_strides[i];
}
// Bytes of a box, which a load tells its mbarrier.
constexpr int box_bytes(const TensorMapSpec& spec) {
  int bytes = bytes_of(spec.type);
  for (int i = 0; i < spec.rank; ++i) bytes *= box_elements(spec, i);
  return bytes;
}
// From line to line in shared memory: a swizzled line takes the swizzle's whole width (facts.md,
// TMA).
constexpr int line_pitch_bytes(const TensorMapSpec& spec) {
  return spec.swizzle == TensorSwizzle::kNone ? box_elements(spec, 0) * bytes_of(spec.type)
                                              : width_of(spec.swizzle);
}
// Bytes of shared memory that a box reaches over.
constexpr int box_shared_bytes(const TensorMapSpec& spec) {
  int bytes = line_pitch_bytes(spec);
  for (int i = 1; i < spec.rank; ++i) bytes *= box_elements(spec, i);
  return bytes;
}

}  // namespace tilewright::hw
