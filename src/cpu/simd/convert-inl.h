// Vectors of fp32 from and to the three types that memory may hold. Compiled once for each target.
#include "cpu/simd/targets.h"
// The line above comes first.
#include <cstdint>

#include "cpu/simd/kernels.h"
#include "hwy/highway.h"

#if defined(TILEWRIGHT_SIMD_CONVERT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TILEWRIGHT_SIMD_CONVERT_INL_H
#undef TILEWRIGHT_SIMD_CONVERT_INL_H
#else
#define TILEWRIGHT_SIMD_CONVERT_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;  // a whole register
using Four = hn::FixedTag<float, 4>;    // for transposing, and for short runs
constexpr int kLanes = HWY_LANES(float);

template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const BF16* from) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::Rebind<std::uint32_t, D> d32;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}

template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const F16* from) {
  const hn::Rebind<std::uint16_t, D> d16;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from));
#if HWY_TARGET == HWY_SSSE3
  // No F16C, and Highway 1.0.3 gives numbers for infinity and NaN here. The exponent is moved by a
  // multiplication, which also makes subnormals normal.
  const hn::Rebind<std::uint32_t, D> d32;
  const auto wide = hn::PromoteTo(d32, bits);
  const auto magnitude = hn::ShiftLeft<13>(hn::And(wide, hn::Set(d32, 0x7FFFu)));
  const auto sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(d32, 0x8000u)));
  const auto scaled = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f));
  const auto special = hn::Ge(scaled, hn::Set(d, 65536.0f));
  const auto infinity = hn::BitCast(d, hn::Set(d32, 0x7F800000u));
  return hn::Or(hn::Or(scaled, hn::IfThenElseZero(special, infinity)), hn::BitCast(d, sign));
#else
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits));
#endif
}

template <class D>
HWY_INLINE void store_f32(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}

// Truncates the upper half of each 32-bit lane away.
template <class D32>
HWY_INLINE void store_low_halves(D32, hn::Vec<D32> bits, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, D32> d16;
  // Signed saturation is the only 32 to 16-bit step every target has: the sign is extended first.
  const hn::Rebind<std::int32_t, D32> d32s;
  const hn::Rebind<std::int16_t, D32> d16s;
  const auto extended = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(d32s, bits)));
  hn::StoreU(hn::BitCast(d16, hn::DemoteTo(d16s, extended)), d16, to);
}

// To nearest, ties to even. Highway 1.0.3 truncates here.
template <class D>
HWY_INLINE void store_f32(D, hn::Vec<D> value, BF16* to) {
  const hn::Rebind<std::uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(d32, 0x7FFFu)), odd);
  const auto quiet = hn::Or(bits, hn::Set(d32, 0x400000u));
  const auto is_nan = hn::RebindMask(d32, hn::Ne(value, value));
  store_low_halves(d32, hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded)),
                   reinterpret_cast<std::uint16_t*>(to));
}

template <class D>
HWY_INLINE void store_f32([[maybe_unused]] D d, hn::Vec<D> value, F16* to) {
  auto* const to16 = reinterpret_cast<std::uint16_t*>(to);
#if HWY_TARGET == HWY_SSSE3
  // Normal results round by adding to the bits; subnormal ones by adding 0.5, whose last bit is
  // the last bit of a subnormal half.
  const hn::Rebind<std::uint32_t, D> d32;
  const hn::Rebind<std::int32_t, D> d32s;
  const auto bits = hn::BitCast(d32, value);
  const auto sign = hn::And(bits, hn::Set(d32, 0x80000000u));
  const auto size = hn::Xor(bits, sign);
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(d32, 1u));
  const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(size, hn::Set(d32, 0xC8000FFFu)), odd));
  const auto half = hn::Set(d, 0.5f);
  const auto tiny =
      hn::Sub(hn::BitCast(d32, hn::Add(hn::BitCast(d, size), half)), hn::BitCast(d32, half));
  const auto as_signed = hn::BitCast(d32s, size);
  const auto is_tiny = hn::RebindMask(d32, hn::Lt(as_signed, hn::Set(d32s, 0x38800000)));
  const auto is_large = hn::RebindMask(d32, hn::Gt(as_signed, hn::Set(d32s, 0x477FFFFF)));
  const auto is_nan = hn::RebindMask(d32, hn::Gt(as_signed, hn::Set(d32s, 0x7F800000)));
  auto result = hn::IfThenElse(is_tiny, tiny, normal);
  result = hn::IfThenElse(is_large, hn::Set(d32, 0x7C00u), result);
  result = hn::IfThenElse(is_nan, hn::Set(d32, 0x7E00u), result);
  store_low_halves(d32, hn::Or(result, hn::ShiftRight<16>(sign)), to16);
#else
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::Rebind<hwy::float16_t, D> half;
  hn::StoreU(hn::BitCast(d16, hn::DemoteTo(half, value)), d16, to16);
#endif
}

HWY_INLINE float to_f32(float value) {
  return value;
}

template <class T>
HWY_INLINE float to_f32(T value) {
  const T copies[4] = {value, value, value, value};
  return hn::GetLane(load_f32(Four(), copies));
}

// The first `count` elements, the other lanes 0; reads not a byte more.
template <class T>
HWY_INLINE hn::Vec<Floats> load_first(const T* from, std::int64_t stride, int count) {
  alignas(64) T copy[kLanes] = {};
  for (int i = 0; i < count; ++i) copy[i] = from[i * stride];
  return load_f32(Floats(), copy);
}

template <class T>
HWY_INLINE void store_first(hn::Vec<Floats> value, T* to, int count) {
  alignas(64) T copy[kLanes];
  store_f32(Floats(), value, copy);
  for (int i = 0; i < count; ++i) to[i] = copy[i];
}

}  // namespace tilewright::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
