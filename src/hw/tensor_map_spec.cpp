#include "hw/tensor_map_spec.h"

#include <fmt/format.h>

namespace tilewright::hw {
namespace {

template <class... Arguments>
Status refuse(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  return Status::invalid("tensor map: " + fmt::format(form, std::forward<Arguments>(arguments)...));
}

Status check_dimension(const TensorMapSpec& spec, int i) {
  constexpr std::int64_t kMostExtent = std::int64_t{1} << 32, kStrideEnd = std::int64_t{1} << 40;
  constexpr int kMostBox = 256, kMostStep = 8;
  if (spec.extents[i] < 1 || spec.extents[i] > kMostExtent) {
    return refuse("extent {} is {}; 1 to 2^32 are accepted", i, spec.extents[i]);
  }
  if (spec.box[i] < 1 || spec.box[i] > kMostBox) {
    return refuse("the box has {} elements in dimension {}; 1 to {} are accepted", spec.box[i], i,
                  kMostBox);
  }
  if (i == 0) {
    // The driver takes another one and then ignores it, which is never what was meant.
    if (spec.element_strides[0] == 1) return {};
    return refuse("the element stride of dimension 0 is {}; 1 is accepted",
                  spec.element_strides[0]);
  }
  if (spec.element_strides[i] < 1 || spec.element_strides[i] > kMostStep) {
    return refuse("the element stride of dimension {} is {}; 1 to {} are accepted", i,
                  spec.element_strides[i], kMostStep);
  }
  const std::int64_t stride = spec.strides_bytes[i - 1];
  if (stride < 0 || stride % 16 != 0 || stride >= kStrideEnd) {
    return refuse("the stride of dimension {} is {} bytes; a multiple of 16 below 2^40 is accepted",
                  i, stride);
  }
  return {};
}

}  // namespace

Status check(const TensorMapSpec& spec) {
  if (spec.rank < 1 || spec.rank > kMostTensorRank) {
    return refuse("rank is {}; 1 to {} are accepted", spec.rank, kMostTensorRank);
  }
  if (spec.base == nullptr || reinterpret_cast<std::uintptr_t>(spec.base) % 16 != 0) {
    return refuse("the base address is {}; a multiple of 16 is accepted", spec.base);
  }
  for (int i = 0; i < spec.rank; ++i) {
    if (Status status = check_dimension(spec, i); !status.ok()) return status;
  }
  const int inner = spec.box[0] * bytes_of(spec.type);
  if (inner % 16 != 0) {
    return refuse("a line of the box has {} bytes; a multiple of 16 is accepted", inner);
  }
  if (spec.swizzle != TensorSwizzle::kNone && inner > width_of(spec.swizzle)) {
    return refuse("a line of the box has {} bytes; the swizzle takes up to {}", inner,
                  width_of(spec.swizzle));
  }
  const bool floating = spec.type == TensorType::kF16 || spec.type == TensorType::kBF16 ||
                        spec.type == TensorType::kF32 || spec.type == TensorType::kTF32;
  if (spec.nan_fill && !floating) return refuse("only floating types are filled with NaN");
  return {};
}

}  // namespace tilewright::hw
