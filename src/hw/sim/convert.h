// Between the element types and fp32, by the formats' own definition.
#pragma once

#include "hw/attributes.h"
#include "hw/element.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE float to_float(float value) {
  return value;
}
TW_DEVICE float to_float(F16 value) {
  return numeric::f16_to_f32(value.bits);
}
TW_DEVICE float to_float(BF16 value) {
  return numeric::bf16_to_f32(value.bits);
}

template <class T>
TW_DEVICE T from_float(float value);
template <>
TW_DEVICE float from_float<float>(float value) {
  return value;
}
template <>
TW_DEVICE F16 from_float<F16>(float value) {
  return {numeric::f16_from_f32(value)};
}
template <>
TW_DEVICE BF16 from_float<BF16>(float value) {
  return {numeric::bf16_from_f32(value)};
}

template <class T>
TW_DEVICE unsigned pack_pair(float low, float high) {
  return from_float<T>(low).bits | static_cast<unsigned>(from_float<T>(high).bits) << 16;
}

}  // namespace tilewright::hw::inline TW_TARGET
