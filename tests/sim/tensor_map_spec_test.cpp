#include "hw/tensor_map_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilewright::hw {
namespace {

alignas(16) std::byte memory[32];

// Every rule holds: three dimensions of halves, lines of 128 bytes, swizzled by as much.
TensorMapSpec good() {
  return {.type = TensorType::kF16,
          .rank = 3,
          .base = memory,
          .extents = {100, 60, 4},
          .strides_bytes = {208, 208 * 60},
          .box = {64, 32, 1},
          .swizzle = TensorSwizzle::k128};
}

struct Case {
  std::string name;
  std::function<void(TensorMapSpec&)> change;
  std::string sentence;  // what is said of it; empty where it is accepted
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    TensorMapSpec spec = good();
    each.change(spec);
    const Status status = check(spec);
    EXPECT_EQ(status.ok(), each.sentence.empty()) << each.name << ": " << status.message();
    if (!each.sentence.empty()) {
      EXPECT_EQ(status.message(), "tensor map: " + each.sentence) << each.name;
    }
  }
}

TEST(TensorMapSpec, EachBrokenRuleIsSaid) {
  constexpr std::int64_t kMostExtent = std::int64_t{1} << 32, kStrideEnd = std::int64_t{1} << 40;
  expect_all({
      {"rank low", [](auto& s) { s.rank = 0; }, "rank is 0; 1 to 5 are accepted"},
      {"rank high", [](auto& s) { s.rank = 6; }, "rank is 6; 1 to 5 are accepted"},
      {"extent low", [](auto& s) { s.extents[1] = 0; }, "extent 1 is 0; 1 to 2^32 are accepted"},
      {"extent high", [](auto& s) { s.extents[0] = kMostExtent + 1; },
       "extent 0 is 4294967297; 1 to 2^32 are accepted"},
      {"stride uneven", [](auto& s) { s.strides_bytes[0] = 200; },
       "the stride of dimension 1 is 200 bytes; a multiple of 16 below 2^40 is accepted"},
      {"stride high", [](auto& s) { s.strides_bytes[1] = kStrideEnd; },
       "the stride of dimension 2 is 1099511627776 bytes; a multiple of 16 below 2^40 is accepted"},
      {"stride below 0", [](auto& s) { s.strides_bytes[0] = -208; },
       "the stride of dimension 1 is -208 bytes; a multiple of 16 below 2^40 is accepted"},
      {"box low", [](auto& s) { s.box[2] = 0; },
       "the box has 0 elements in dimension 2; 1 to 256 are accepted"},
      {"box high", [](auto& s) { s.box[1] = 257; },
       "the box has 257 elements in dimension 1; 1 to 256 are accepted"},
      {"line uneven", [](auto& s) { s.box[0] = 60; },
       "a line of the box has 120 bytes; a multiple of 16 is accepted"},
      {"line wider than 128", [](auto& s) { s.box[0] = 72; },
       "a line of the box has 144 bytes; the swizzle takes up to 128"},
      {"line wider than 64", [](auto& s) { s.swizzle = TensorSwizzle::k64; },
       "a line of the box has 128 bytes; the swizzle takes up to 64"},
      {"line wider than 32",
       [](auto& s) {
         s.swizzle = TensorSwizzle::k32;
         s.box[0] = 24;
       },
       "a line of the box has 48 bytes; the swizzle takes up to 32"},
      {"step of the line", [](auto& s) { s.element_strides[0] = 2; },
       "the element stride of dimension 0 is 2; 1 is accepted"},
      {"step low", [](auto& s) { s.element_strides[1] = 0; },
       "the element stride of dimension 1 is 0; 1 to 8 are accepted"},
      {"step high", [](auto& s) { s.element_strides[2] = 9; },
       "the element stride of dimension 2 is 9; 1 to 8 are accepted"},
      {"NaN in integers",
       [](auto& s) {
         s.type = TensorType::kU16;
         s.nan_fill = true;
       },
       "only floating types are filled with NaN"},
  });
}

TEST(TensorMapSpec, TheBaseAddressIsAMultipleOf16) {
  TensorMapSpec spec = good();
  for (int offset : {1, 2, 8, 15}) {
    spec.base = memory + offset;
    EXPECT_THAT(check(spec).message(), testing::HasSubstr("a multiple of 16 is accepted"));
  }
  spec.base = memory + 16;
  EXPECT_TRUE(check(spec).ok());
  spec.base = nullptr;
  EXPECT_THAT(check(spec).message(), testing::HasSubstr("the base address is 0x0"));
}

// The last value on the good side of each rule.
TEST(TensorMapSpec, TheEdgesOfTheRulesAreAccepted) {
  expect_all({
      {"as it is", [](auto&) {}, ""},
      {"rank 1", [](auto& s) { s.rank = 1; }, ""},
      {"rank 5",
       [](auto& s) {
         s.rank = 5;
         s.extents[3] = s.extents[4] = 1;
         s.strides_bytes[2] = s.strides_bytes[3] = 16;
         s.box[3] = s.box[4] = 1;
       },
       ""},
      {"extents", [](auto& s) { s.extents[0] = std::int64_t{1} << 32, s.extents[1] = 1; }, ""},
      {"stride", [](auto& s) { s.strides_bytes[1] = (std::int64_t{1} << 40) - 16; }, ""},
      {"box", [](auto& s) { s.box[1] = 256; }, ""},
      {"line of 16", [](auto& s) { s.box[0] = 8; }, ""},
      {"line of 32", [](auto& s) { s.swizzle = TensorSwizzle::k32, s.box[0] = 16; }, ""},
      {"line of 64", [](auto& s) { s.swizzle = TensorSwizzle::k64, s.box[0] = 32; }, ""},
      {"wide line, not swizzled", [](auto& s) { s.swizzle = TensorSwizzle::kNone, s.box[0] = 256; },
       ""},
      {"steps", [](auto& s) { s.element_strides[1] = 8; }, ""},
      {"NaN in halves", [](auto& s) { s.nan_fill = true; }, ""},
  });
}

// What lies above the rank is nobody's business.
TEST(TensorMapSpec, DimensionsAboveTheRankAreNotLookedAt) {
  TensorMapSpec spec = good();
  spec.rank = 2;
  spec.extents[2] = 0;
  spec.box[2] = 1000;
  spec.strides_bytes[1] = 1;
  spec.element_strides[2] = 0;
  EXPECT_TRUE(check(spec).ok());
}

TEST(TensorMapSpec, TheBytesOfALineAreThoseOfItsType) {
  for (const TensorType type :
       {TensorType::kU8, TensorType::kU16, TensorType::kU32, TensorType::kU64}) {
    TensorMapSpec spec = good();
    spec.type = type;
    spec.box[0] = 128 / bytes_of(type);
    EXPECT_TRUE(check(spec).ok()) << bytes_of(type);
    spec.box[0] += 16 / bytes_of(type);
    EXPECT_FALSE(check(spec).ok()) << bytes_of(type);
  }
  EXPECT_EQ(bytes_of(TensorType::kBF16), 2);
  EXPECT_EQ(bytes_of(TensorType::kTF32), 4);
  EXPECT_EQ(bytes_of(TensorType::kF32), 4);
  EXPECT_EQ(bytes_of(TensorType::kS32), 4);
}

}  // namespace
}  // namespace tilewright::hw
