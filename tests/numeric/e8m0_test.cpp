// E8M0 against a list of its 255 powers of two.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "numeric/e8m0.h"

namespace tilewright::numeric {
namespace {

static_assert(e8m0_from_f32(1.0f) == 127 && e8m0_to_f32(127) == 1.0f);
static_assert(e8m0_from_f32(1.5f) == 128 && e8m0_from_f32(3.0f) == 128);
static_assert(e8m0_to_f32(0) == 0x1p-127f && e8m0_to_f32(254) == 0x1p127f);

// The nearest of all values by search, a tie to the even code; `value` is not negative.
int nearest_code(double value) {
  int best = 0;
  for (int code = 1; code < 255; ++code) {
    const double distance = std::fabs(std::ldexp(1.0, code - 127) - value);
    const double least = std::fabs(std::ldexp(1.0, best - 127) - value);
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best;
}

TEST(E8M0, every_code_decodes_and_comes_back) {
  for (int code = 0; code < 255; ++code) {
    const float value = e8m0_to_f32(static_cast<std::uint8_t>(code));
    EXPECT_EQ(static_cast<double>(value), std::ldexp(1.0, code - 127));
    EXPECT_EQ(e8m0_from_f32(value), code);
    EXPECT_EQ(e8m0_from_f64(value), code);
  }
  EXPECT_TRUE(std::isnan(e8m0_to_f32(0xff)));
}

TEST(E8M0, midpoints_and_their_neighbours_go_to_the_nearest) {
  for (int code = 0; code < 254; ++code) {
    const double middle = std::ldexp(1.5, code - 127);
    for (const double value :
         {middle, std::nextafter(middle, 1e300), std::nextafter(middle, 0.0)}) {
      EXPECT_EQ(e8m0_from_f64(value), nearest_code(value)) << std::hexfloat << value;
    }
    const auto middle_f32 = static_cast<float>(middle);
    for (const float value :
         {middle_f32, std::nextafter(middle_f32, 1e38f), std::nextafter(middle_f32, 0.0f)}) {
      EXPECT_EQ(e8m0_from_f32(value), nearest_code(value)) << std::hexfloat << value;
    }
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 250) - 190);
    ASSERT_EQ(e8m0_from_f64(value), nearest_code(value)) << std::hexfloat << value;
  }
}

TEST(E8M0, saturates_and_refuses_what_it_cannot_hold) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(e8m0_from_f64(0.0), 0);
  EXPECT_EQ(e8m0_from_f64(-0.0), 0);
  EXPECT_EQ(e8m0_from_f64(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(e8m0_from_f64(0x1p-400), 0);
  EXPECT_EQ(e8m0_from_f32(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(e8m0_from_f32(std::numeric_limits<float>::max()), 0xfe);
  EXPECT_EQ(e8m0_from_f64(1e300), 0xfe);
  EXPECT_EQ(e8m0_from_f64(infinity), 0xfe);
  EXPECT_EQ(e8m0_from_f64(-infinity), 0xff);
  EXPECT_EQ(e8m0_from_f64(-1.0), 0xff);
  EXPECT_EQ(e8m0_from_f64(std::numeric_limits<double>::quiet_NaN()), 0xff);
}

}  // namespace
}  // namespace tilewright::numeric
