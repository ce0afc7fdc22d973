#include "tilewright/codecs.h"

#include <fmt/format.h>

#include <algorithm>

#include "numeric/bf16.h"
#include "numeric/e2m1.h"
#include "numeric/e4m3.h"
#include "numeric/e8m0.h"
#include "numeric/f16.h"

namespace tilewright {
namespace {

Status check_buffers(std::string_view call, const void* from, const void* to, std::int64_t count) {
  if (count < 0) {
    return Status::invalid(fmt::format("{}: count is {}; 0 or more is accepted", call, count));
  }
  if (count > 0 && (from == nullptr || to == nullptr)) {
    return Status::invalid(fmt::format("{}: the {} buffer is null; {} elements need memory", call,
                                       from == nullptr ? "input" : "output", count));
  }
  return {};
}

Status refuse_type(std::string_view call, DType type) {
  return Status::invalid(
      fmt::format("{}: type {} ({}) has no codec; f32, f16, bf16, e4m3, e8m0 and e2m1 are accepted",
                  call, name_of(type), static_cast<int>(type)));
}

template <class Code, class Real, class Convert>
Status encode_each(const Real* values, std::int64_t count, void* out, Convert convert) {
  auto* codes = static_cast<Code*>(out);
  for (std::int64_t i = 0; i < count; ++i) codes[i] = convert(values[i]);
  return {};
}

template <class Real>
Status encode_e2m1(const Real* values, std::int64_t count, void* out) {
  auto* bytes = static_cast<std::uint8_t*>(out);
  for (std::int64_t i = 0; i < count; i += 2) {
    const int low = numeric::e2m1_from_f64(values[i]);
    const int high = i + 1 < count ? numeric::e2m1_from_f64(values[i + 1]) : 0;
    bytes[i / 2] = static_cast<std::uint8_t>(low | (high << 4));
  }
  return {};
}

template <class Real>
Status encode_any(DType type, const Real* values, std::int64_t count, void* out) {
  if (Status status = check_buffers("encode", values, out, count); !status) return status;
  switch (type) {
    case DType::kF32:
      return encode_each<float>(values, count, out,
                                [](Real value) { return static_cast<float>(value); });
    case DType::kF16:
      return encode_each<std::uint16_t>(values, count, out, numeric::f16_from_f64);
    case DType::kBF16:
      return encode_each<std::uint16_t>(values, count, out, numeric::bf16_from_f64);
    case DType::kE4M3:
      return encode_each<std::uint8_t>(values, count, out, numeric::e4m3_from_f64);
    case DType::kE8M0:
      return encode_each<std::uint8_t>(values, count, out, numeric::e8m0_from_f64);
    case DType::kE2M1:
      return encode_e2m1(values, count, out);
    case DType::kI8:
    case DType::kI4:
      break;
  }
  return refuse_type("encode", type);
}

template <class Code, class Convert>
Status decode_each(const void* values, std::int64_t count, float* out, Convert convert) {
  const auto* codes = static_cast<const Code*>(values);
  for (std::int64_t i = 0; i < count; ++i) out[i] = convert(codes[i]);
  return {};
}

Status decode_e2m1(const void* values, std::int64_t count, float* out) {
  const auto* bytes = static_cast<const std::uint8_t*>(values);
  for (std::int64_t i = 0; i < count; ++i) {
    const int byte = bytes[i / 2];
    out[i] = numeric::e2m1_to_f32(static_cast<std::uint8_t>(i % 2 == 0 ? byte & 0xf : byte >> 4));
  }
  return {};
}

}  // namespace

Status encode(DType type, const float* values, std::int64_t count, void* out) {
  return encode_any(type, values, count, out);
}

Status encode(DType type, const double* values, std::int64_t count, void* out) {
  return encode_any(type, values, count, out);
}

Status decode(DType type, const void* values, std::int64_t count, float* out) {
  if (Status status = check_buffers("decode", values, out, count); !status) return status;
  switch (type) {
    case DType::kF32:
      std::copy_n(static_cast<const float*>(values), count, out);
      return {};
    case DType::kF16:
      return decode_each<std::uint16_t>(values, count, out, numeric::f16_to_f32);
    case DType::kBF16:
      return decode_each<std::uint16_t>(values, count, out, numeric::bf16_to_f32);
    case DType::kE4M3:
      return decode_each<std::uint8_t>(values, count, out, numeric::e4m3_to_f32);
    case DType::kE8M0:
      return decode_each<std::uint8_t>(values, count, out, numeric::e8m0_to_f32);
    case DType::kE2M1:
      return decode_e2m1(values, count, out);
    case DType::kI8:
    case DType::kI4:
      break;
  }
  return refuse_type("decode", type);
}

}  // namespace tilewright
