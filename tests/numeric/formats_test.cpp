// Every signed float format against a second definition: all codes, all midpoints and what lies
// just beside them, and random values of every exponent.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "numeric/bf16.h"
#include "numeric/e2m1.h"
#include "numeric/e4m3.h"
#include "numeric/f16.h"
#include "tests/numeric/second_definition.h"

namespace tilewright::numeric {
namespace {

using second::Format;
using second::Top;

// Usable in constant expressions.
static_assert(f16_from_f32(1.0f) == 0x3c00 && f16_to_f32(0x3c00) == 1.0f);
static_assert(f16_from_f32(65520.0f) == 0x7c00 && f16_from_f32(65519.99f) == 0x7bff);
static_assert(f16_from_f64(-0.0) == 0x8000 && f16_to_f32(0x0001) == 0x1p-24f);
static_assert(f16_from_f64(0x1p-25) == 0 && f16_from_f64(0x1.0000000000001p-25) == 1);
static_assert(bf16_from_f32(1.0f) == 0x3f80 && bf16_to_f32(0xc000) == -2.0f);
static_assert(bf16_from_f64(0x1.01p0) == 0x3f80 && bf16_from_f64(0x1.03p0) == 0x3f82);
static_assert(e4m3_from_f32(1e9f) == 0x7e && e4m3_to_f32(0x7e) == 448.0f);
static_assert(e4m3_from_f32(0x1p-10f) == 0 && e4m3_to_f32(0x81) == -0x1p-9f);
static_assert(e2m1_from_f32(2.5f) == 0x4 && e2m1_from_f32(-100.0f) == 0xf);
static_assert(e2m1_to_f32(0x7) == 6.0f && e2m1_to_f32(0x9) == -0.5f);

struct Codec {
  std::string name;
  Format second;
  std::function<float(std::uint32_t)> to_f32;
  std::function<std::uint32_t(float)> from_f32;
  std::function<std::uint32_t(double)> from_f64;
};

class EveryFormat : public testing::TestWithParam<Codec> {
 protected:
  // Fails once a value, with the value and both answers.
  void expect_same_code(double value) const {
    const Codec& codec = GetParam();
    const std::uint32_t expected = codec.second.encode(value);
    ASSERT_EQ(codec.from_f64(value), expected) << std::hexfloat << value << " from double";
    const auto narrow = static_cast<float>(value);
    ASSERT_EQ(codec.from_f32(narrow), codec.second.encode(narrow))
        << std::hexfloat << narrow << " from float";
  }
};

TEST_P(EveryFormat, every_code_decodes_to_the_second_definition) {
  const Codec& codec = GetParam();
  for (std::uint32_t code = 0; code < 1u << codec.second.width(); ++code) {
    const double expected = codec.second.decode(code);
    const float actual = codec.to_f32(code);
    ASSERT_EQ(std::isnan(actual), std::isnan(expected)) << code;
    ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << code;
    if (!std::isnan(expected)) {
      ASSERT_EQ(static_cast<double>(actual), expected) << code;
    }
  }
}

TEST_P(EveryFormat, every_code_comes_back) {
  const Codec& codec = GetParam();
  for (std::uint32_t code = 0; code < 1u << codec.second.width(); ++code) {
    const float value = codec.to_f32(code);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(codec.to_f32(codec.from_f32(value)))) << code;
      ASSERT_TRUE(std::isnan(codec.to_f32(codec.from_f64(value)))) << code;
    } else {
      ASSERT_EQ(codec.from_f32(value), code);
      ASSERT_EQ(codec.from_f64(value), code);
    }
  }
}

// The double next to a midpoint rounds to float as the midpoint itself: going through float there
// rounds twice and is caught.
TEST_P(EveryFormat, midpoints_and_their_neighbours) {
  const double up = std::numeric_limits<double>::infinity();
  const float up_f32 = std::numeric_limits<float>::infinity();
  for (std::uint32_t code = 0; code <= GetParam().second.largest_finite(); ++code) {
    const double middle = GetParam().second.midpoint(code);
    const auto middle_f32 = static_cast<float>(middle);
    for (const double value :
         {middle, std::nextafter(middle, up), std::nextafter(middle, 0.0),
          double{std::nextafter(middle_f32, up_f32)}, double{std::nextafter(middle_f32, 0.0f)}}) {
      ASSERT_NO_FATAL_FAILURE(expect_same_code(value));
      ASSERT_NO_FATAL_FAILURE(expect_same_code(-value));
    }
  }
}

TEST_P(EveryFormat, random_values_of_every_exponent) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const float any_f32 = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const double any_f64 = std::bit_cast<double>(random());
    const double in_range =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 72) - 100);
    for (const double value : {double{any_f32}, any_f64, in_range}) {
      if (std::isnan(value)) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same_code(value));
    }
  }
}

TEST_P(EveryFormat, ends_of_double) {
  for (const double value :
       {0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()}) {
    expect_same_code(value);
    expect_same_code(-value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , EveryFormat,
    testing::Values(Codec{"f16", Format(5, 10, Top::kInfinityAndNaN),
                          [](std::uint32_t c) { return f16_to_f32(static_cast<std::uint16_t>(c)); },
                          f16_from_f32, f16_from_f64},
                    Codec{
                        "bf16", Format(8, 7, Top::kInfinityAndNaN),
                        [](std::uint32_t c) { return bf16_to_f32(static_cast<std::uint16_t>(c)); },
                        bf16_from_f32, bf16_from_f64},
                    Codec{"e4m3", Format(4, 3, Top::kOneNaN),
                          [](std::uint32_t c) { return e4m3_to_f32(static_cast<std::uint8_t>(c)); },
                          e4m3_from_f32, e4m3_from_f64},
                    Codec{"e2m1", Format(2, 1, Top::kFinite),
                          [](std::uint32_t c) { return e2m1_to_f32(static_cast<std::uint8_t>(c)); },
                          e2m1_from_f32, e2m1_from_f64}),
    [](const auto& info) { return info.param.name; });

// NaN patterns of both signs, quiet and signalling, with and without payload.
TEST(NotANumber, stays_one_where_the_format_has_one) {
  for (const std::uint64_t payload : {std::uint64_t{1}, std::uint64_t{1} << 40,
                                      std::uint64_t{1} << 51, (std::uint64_t{1} << 52) - 1}) {
    for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << 63}) {
      const auto value = std::bit_cast<double>(sign | 0x7ff0000000000000 | payload);
      const std::uint32_t code_sign = sign != 0 ? 0x8000 : 0;
      EXPECT_EQ(f16_from_f64(value) & 0xfe00, code_sign | 0x7e00u) << std::hex << payload;
      EXPECT_EQ(bf16_from_f64(value) & 0xffc0, code_sign | 0x7fc0u) << std::hex << payload;
      EXPECT_EQ(e4m3_from_f64(value), 0x7f);
      EXPECT_EQ(e2m1_from_f64(value), 0x7);
    }
  }
}

TEST(E2M1, ignores_the_upper_nibble) {
  for (int code = 0; code < 256; ++code) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(e2m1_to_f32(static_cast<std::uint8_t>(code))),
              std::bit_cast<std::uint32_t>(e2m1_to_f32(static_cast<std::uint8_t>(code & 0xf))));
  }
}

#ifdef __FLT16_MANT_DIG__
// The compiler's own binary16, whose conversions come from its run-time library or the CPU.
__extension__ typedef _Float16 CompilerF16;

TEST(F16, agrees_with_the_compiler) {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 211) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const auto expected = std::bit_cast<std::uint16_t>(static_cast<CompilerF16>(value));
    ASSERT_EQ(f16_from_f32(value), expected) << std::hexfloat << value;
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 300'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 48) - 92);
    ASSERT_EQ(f16_from_f64(value), std::bit_cast<std::uint16_t>(static_cast<CompilerF16>(value)))
        << std::hexfloat << value;
  }
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto value =
        static_cast<float>(std::bit_cast<CompilerF16>(static_cast<std::uint16_t>(code)));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(f16_to_f32(static_cast<std::uint16_t>(code))),
              std::bit_cast<std::uint32_t>(value))
        << code;
  }
}
#endif

}  // namespace
}  // namespace tilewright::numeric
