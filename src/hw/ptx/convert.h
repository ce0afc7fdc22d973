// Between the element types and fp32: exact upwards, to nearest even downwards.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "hw/attributes.h"
#include "hw/element.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE float to_float(float value) {
  return value;
}
TW_DEVICE float to_float(F16 value) {
  return __half2float(__ushort_as_half(value.bits));
}
TW_DEVICE float to_float(BF16 value) {
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
}

template <class T>
TW_DEVICE T from_float(float value);
template <>
TW_DEVICE float from_float<float>(float value) {
  return value;
}
template <>
TW_DEVICE F16 from_float<F16>(float value) {
  return {__half_as_ushort(__float2half_rn(value))};
}
template <>
TW_DEVICE BF16 from_float<BF16>(float value) {
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
}

// Two neighbours in one word, `low` at the lower address.
template <class T>
TW_DEVICE unsigned pack_pair(float low, float high);
template <>
TW_DEVICE unsigned pack_pair<F16>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}
template <>
TW_DEVICE unsigned pack_pair<BF16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

}  // namespace tilewright::hw::inline TW_TARGET
