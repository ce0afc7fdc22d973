// The public encode and decode on buffers.
#include "tilewright/codecs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "numeric/bf16.h"
#include "numeric/e4m3.h"
#include "numeric/e8m0.h"
#include "numeric/f16.h"

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Codecs, each_type_uses_its_own_format) {
  const std::array<float, 3> values = {1.0f, 2.75f, 300.0f};
  std::array<std::uint16_t, 3> halves{};
  ASSERT_TRUE(encode(DType::kF16, values.data(), 3, halves.data()));
  EXPECT_THAT(halves, ElementsAre(0x3c00, 0x4180, 0x5cb0));
  ASSERT_TRUE(encode(DType::kBF16, values.data(), 3, halves.data()));
  EXPECT_THAT(halves, ElementsAre(0x3f80, 0x4030, 0x4396));
  std::array<std::uint8_t, 3> bytes{};
  ASSERT_TRUE(encode(DType::kE4M3, values.data(), 3, bytes.data()));
  EXPECT_THAT(bytes, ElementsAre(0x38, 0x43, 0x79));
  ASSERT_TRUE(encode(DType::kE8M0, values.data(), 3, bytes.data()));
  EXPECT_THAT(bytes, ElementsAre(127, 128, 135));
  std::array<float, 3> singles{};
  ASSERT_TRUE(encode(DType::kF32, values.data(), 3, singles.data()));
  EXPECT_EQ(singles, values);
}

TEST(Codecs, e2m1_packs_the_low_nibble_first_and_clears_the_last_odd_one) {
  const std::array<float, 3> values = {0.5f, -6.0f, 3.0f};
  std::array<std::uint8_t, 3> bytes = {0xee, 0xee, 0xee};
  ASSERT_TRUE(encode(DType::kE2M1, values.data(), 3, bytes.data()));
  EXPECT_THAT(bytes, ElementsAre(0xf1, 0x05, 0xee));
  std::array<float, 4> back = {9, 9, 9, 9};
  ASSERT_TRUE(decode(DType::kE2M1, bytes.data(), 3, back.data()));
  EXPECT_THAT(back, ElementsAre(0.5f, -6.0f, 3.0f, 9.0f));
}

TEST(Codecs, every_code_decodes_as_the_format_says) {
  std::vector<std::uint16_t> codes(0x10000);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  std::vector<float> values(codes.size());
  const auto same = [](float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  ASSERT_TRUE(decode(DType::kF16, codes.data(), 0x10000, values.data()));
  for (std::uint16_t code : codes) ASSERT_TRUE(same(values[code], numeric::f16_to_f32(code)));
  ASSERT_TRUE(decode(DType::kBF16, codes.data(), 0x10000, values.data()));
  for (std::uint16_t code : codes) ASSERT_TRUE(same(values[code], numeric::bf16_to_f32(code)));
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  ASSERT_TRUE(decode(DType::kE4M3, bytes.data(), 256, values.data()));
  for (std::uint8_t code : bytes) ASSERT_TRUE(same(values[code], numeric::e4m3_to_f32(code)));
  ASSERT_TRUE(decode(DType::kE8M0, bytes.data(), 256, values.data()));
  for (std::uint8_t code : bytes) ASSERT_TRUE(same(values[code], numeric::e8m0_to_f32(code)));
}

// Just above the middle of two f16 values: through float the excess is lost and the tie goes down.
TEST(Codecs, doubles_are_rounded_once) {
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  std::uint16_t once = 0, twice = 0;
  const auto narrow = static_cast<float>(value);
  ASSERT_TRUE(encode(DType::kF16, &value, 1, &once));
  ASSERT_TRUE(encode(DType::kF16, &narrow, 1, &twice));
  EXPECT_EQ(once, 0x3c01);
  EXPECT_EQ(twice, 0x3c00);
  const double large = 1e300;
  float single = 0;
  ASSERT_TRUE(encode(DType::kF32, &large, 1, &single));
  EXPECT_EQ(single, std::numeric_limits<float>::infinity());
}

TEST(Codecs, refusals_name_what_is_wrong_and_write_nothing) {
  const float value = 1;
  std::uint32_t out = 0x5a5a5a5a;
  const Status integer = encode(DType::kI8, &value, 1, &out);
  EXPECT_EQ(integer.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(integer.message(), HasSubstr("type i8"));
  EXPECT_THAT(encode(static_cast<DType>(200), &value, 1, &out).message(), HasSubstr("200"));
  EXPECT_THAT(encode(DType::kF16, &value, -1, &out).message(), HasSubstr("count is -1"));
  const float* nothing = nullptr;
  EXPECT_THAT(encode(DType::kF16, nothing, 1, &out).message(), HasSubstr("input buffer is null"));
  EXPECT_THAT(encode(DType::kF16, &value, 1, nullptr).message(),
              HasSubstr("output buffer is null"));
  float decoded = 7;
  EXPECT_THAT(decode(DType::kI4, &out, 1, &decoded).message(), HasSubstr("decode: type i4"));
  EXPECT_THAT(decode(DType::kF16, nullptr, 1, &decoded).message(),
              HasSubstr("input buffer is null"));
  EXPECT_EQ(out, 0x5a5a5a5au);
  EXPECT_EQ(decoded, 7);
  EXPECT_TRUE(encode(DType::kF16, nothing, 0, nullptr));
  EXPECT_TRUE(decode(DType::kF16, nullptr, 0, nullptr));
}

}  // namespace
}  // namespace tilewright
