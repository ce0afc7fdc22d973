#include "hw/sim/tensor_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "numeric/f16.h"
#include "tests/sim/shared_window.h"

namespace tilewright::hw::sim {
namespace {

constexpr std::uint32_t kBase = 2048, kWindowBytes = 64 * 1024;

using Index = std::array<int, kMostTensorRank>;

// A tensor in which every byte differs from its neighbours, padding between lines included.
struct Tensor {
  TensorMapSpec spec;
  std::vector<std::byte> bytes;

  explicit Tensor(const TensorMapSpec& of) : spec(of) {
    std::int64_t size = spec.extents[0] * bytes_of(spec.type);
    for (int i = 1; i < spec.rank; ++i) {
      size = std::max(size, spec.extents[i] * spec.strides_bytes[i - 1]);
    }
    for (std::int64_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<std::byte>(i * 37 % 251 + i / 251 % 5));
    }
    spec.base = bytes.data();
  }
  // Where an element lies, or null outside of the tensor.
  std::byte* find(const Index& coordinates) {
    std::byte* place = bytes.data();
    for (int i = 0; i < spec.rank; ++i) {
      const int at = coordinates[static_cast<std::size_t>(i)];
      if (at < 0 || at >= spec.extents[i]) return nullptr;
      place += at * (i == 0 ? bytes_of(spec.type) : spec.strides_bytes[i - 1]);
    }
    return place;
  }
};

// The 16-byte piece of a line that holds its piece `p`, by the tables of the PTX ISA, which show a
// pattern that repeats every 8 lines of 128 bytes, 8 of 64, or 8 of 32.
int piece_of(TensorSwizzle swizzle, int line, int p) {
  switch (swizzle) {
    case TensorSwizzle::k128:
      return p ^ line % 8;
    case TensorSwizzle::k64:
      return p ^ line / 2 % 4;
    case TensorSwizzle::k32:
      return p ^ line / 4 % 2;
    case TensorSwizzle::kNone:
      break;
  }
  return p;
}

// Each element of a box: its coordinates and its shared address.
void for_each_element(const TensorMapSpec& spec, const Index& at,
                      const std::function<void(const Index&, std::uint32_t)>& see) {
  const int element = bytes_of(spec.type);
  Index steps = {1, 1, 1, 1, 1};  // positions that land, of each dimension
  for (int i = 0; i < spec.rank; ++i) {
    steps[static_cast<std::size_t>(i)] = 0;
    for (int x = 0; x < spec.box[i]; x += spec.element_strides[i]) {
      ++steps[static_cast<std::size_t>(i)];
    }
  }
  const int packed = steps[0] * element;
  const int pitch = spec.swizzle == TensorSwizzle::kNone ? packed : width_of(spec.swizzle);
  int line = 0;
  for (int e = 0; e < steps[4]; ++e) {
    for (int d = 0; d < steps[3]; ++d) {
      for (int c = 0; c < steps[2]; ++c) {
        for (int b = 0; b < steps[1]; ++b, ++line) {
          for (int a = 0; a < steps[0]; ++a) {
            const Index moved = {a, b, c, d, e};
            Index coordinates = {};
            for (std::size_t i = 0; i < static_cast<std::size_t>(spec.rank); ++i) {
              coordinates[i] = at[i] + moved[i] * spec.element_strides[i];
            }
            const int byte = a * element;
            const int swizzled = piece_of(spec.swizzle, line, byte / 16) * 16 + byte % 16;
            see(coordinates, kBase + static_cast<std::uint32_t>(line * pitch + swizzled));
          }
        }
      }
    }
  }
}

struct Case {
  std::string name;
  TensorMapSpec spec;
  Index at;
};

TensorMapSpec plane(TensorSwizzle swizzle, int box0, int box1) {
  return {.type = TensorType::kF16,
          .rank = 2,
          .base = nullptr,
          .extents = {80, 40},
          .strides_bytes = {176},
          .box = {box0, box1},
          .swizzle = swizzle};
}

std::vector<Case> cases() {
  using enum TensorType;
  using enum TensorSwizzle;
  return {
      {"1d", {kU32, 1, nullptr, {100}, {}, {64}}, {60}},
      {"1d of 8 bytes", {kU64, 1, nullptr, {100}, {}, {32}}, {6}},
      {"plain", plane(kNone, 24, 12), {16, 7}},
      {"32", plane(k32, 16, 24), {16, 7}},
      {"64", plane(k64, 32, 24), {32, 3}},
      {"128", plane(k128, 64, 24), {8, 5}},
      {"128 narrow", plane(k128, 48, 24), {8, 5}},
      {"64 narrow", plane(k64, 8, 24), {8, 5}},
      {"below in both", plane(k128, 64, 16), {-16, -3}},
      {"beyond in both", plane(k128, 64, 16), {64, 30}},
      {"wholly outside", plane(k64, 32, 8), {80, 0}},
      {"far outside", plane(k64, 32, 8), {0, INT32_MIN}},
      {"3d", {kU8, 3, nullptr, {48, 9, 5}, {48, 480}, {32, 4, 3}, {1, 1, 1}, k32}, {16, 6, 3}},
      {"4d",
       {kF32, 4, nullptr, {12, 5, 4, 3}, {48, 240, 960}, {8, 3, 2, 2}, {1, 1, 1, 1}, k32},
       {-4, 3, 3, 1}},
      {"5d",
       {kU16, 5, nullptr, {16, 4, 3, 3, 2}, {32, 128, 384, 1152}, {8, 2, 2, 2, 2}},
       {8, 3, -1, 2, 1}},
      {"steps", {kU16, 2, nullptr, {64, 40}, {128}, {16, 24}, {1, 3}}, {8, 20}},
      {"steps that do not divide", {kU16, 2, nullptr, {64, 40}, {128}, {16, 20}, {1, 3}}, {8, 2}},
      {"5d steps",
       {kF32,
        5,
        nullptr,
        {16, 6, 6, 3, 2},
        {64, 384, 2304, 6912},
        {8, 4, 5, 2, 2},
        {1, 2, 3, 1, 1},
        k32},
       {4, 1, 0, -1, 1}},
  };
}

TEST(TensorWalk, ALoadPutsEachElementInItsPlaceAndTouchesNothingElse) {
  for (const Case& each : cases()) {
    Tensor tensor(each.spec);
    SharedWindow loaded(kWindowBytes), wanted(kWindowBytes);
    for_each_element(tensor.spec, each.at, [&](const Index& coordinates, std::uint32_t address) {
      const auto bytes = static_cast<std::size_t>(bytes_of(tensor.spec.type));
      const std::byte* const from = tensor.find(coordinates);
      for (std::size_t i = 0; i < bytes; ++i) {
        wanted.bytes()[address + i] = from != nullptr ? from[i] : std::byte{0};
      }
    });
    loaded.load(walk_box(tensor.spec, each.at.data(), kBase, 0, false));
    EXPECT_TRUE(loaded.bytes() == wanted.bytes()) << each.name;
  }
}

TEST(TensorWalk, AStoreWritesWhatLiesInsideAlone) {
  for (const Case& each : cases()) {
    if (each.at[0] < 0) continue;  // refused before it comes to addresses
    Tensor tensor(each.spec), wanted(each.spec);
    SharedWindow source(kWindowBytes);
    for (std::size_t i = 0; i < kWindowBytes; ++i) {
      source.bytes()[i] = static_cast<std::byte>(i * 91 % 239);
    }
    for_each_element(tensor.spec, each.at, [&](const Index& coordinates, std::uint32_t address) {
      std::byte* const to = wanted.find(coordinates);
      if (to == nullptr) return;
      std::memcpy(to, &source.bytes()[address],
                  static_cast<std::size_t>(bytes_of(tensor.spec.type)));
    });
    for (const Piece& piece : walk_box(tensor.spec, each.at.data(), kBase, 0, true)) {
      if (piece.global != nullptr) {
        std::memcpy(piece.global, &source.bytes()[piece.shared], piece.bytes);
      }
    }
    EXPECT_TRUE(tensor.bytes == wanted.bytes) << each.name;
  }
}

// A line of 20 halves in a pitch of 24: the tensor ends in the middle of 16 bytes.
TEST(TensorWalk, StoresWriteTheLast16BytesWholeAndLoadsDoNotReadBeyondTheEnd) {
  TensorMapSpec spec = plane(TensorSwizzle::kNone, 16, 1);
  spec.extents[0] = 20;
  spec.strides_bytes[0] = 48;
  const Tensor tensor(spec);
  const Index at = {16, 2};
  const auto inside = [&](bool stores) {
    std::uint32_t bytes = 0;
    for (const Piece& piece : walk_box(tensor.spec, at.data(), kBase, 0, stores)) {
      if (piece.global == nullptr) continue;
      EXPECT_EQ(piece.global, tensor.bytes.data() + 2 * 48 + 32);
      bytes += piece.bytes;
    }
    return bytes;
  };
  EXPECT_EQ(inside(false), 8u);
  EXPECT_EQ(inside(true), 16u);
}

TEST(TensorWalk, PiecesAreAtMost16BytesAndAllOfTheBoxThatTheBarrierIsTold) {
  for (const Case& each : cases()) {
    const Tensor tensor(each.spec);
    for (const bool stores : {false, true}) {
      if (stores && each.at[0] < 0) continue;
      std::uint32_t bytes = 0;
      for (const Piece& piece : walk_box(tensor.spec, each.at.data(), kBase, 0, stores)) {
        EXPECT_TRUE(piece.bytes > 0 && piece.shared % 16 + piece.bytes <= 16) << each.name;
        bytes += piece.bytes;
      }
      EXPECT_EQ(static_cast<int>(bytes), box_bytes(tensor.spec)) << each.name;
    }
  }
}

TEST(TensorWalk, WhatLiesOutsideArrivesAsNanIfAskedFor) {
  for (const TensorType type : {TensorType::kF16, TensorType::kBF16, TensorType::kF32}) {
    TensorMapSpec spec = {type, 1, nullptr, {32}, {}, {32}};
    spec.nan_fill = true;
    const Tensor tensor(spec);
    const int at[] = {16};
    SharedWindow window(kWindowBytes);
    window.load(walk_box(tensor.spec, at, kBase, 0, false));
    const auto bytes = static_cast<std::uint32_t>(bytes_of(type));
    EXPECT_EQ(std::memcmp(&window.bytes()[kBase], &tensor.bytes[16 * bytes], 16 * bytes), 0);
    for (std::uint32_t i = 16; i < 32; ++i) {
      const std::uint32_t address = kBase + i * bytes;
      const float value =
          type == TensorType::kF32 ? window.at<float>(address)
          : type == TensorType::kF16
              ? numeric::f16_to_f32(window.at<std::uint16_t>(address))
              : std::bit_cast<float>(std::uint32_t{window.at<std::uint16_t>(address)} << 16);
      EXPECT_TRUE(std::isnan(value)) << "element " << i;
    }
  }
}

// The pattern hangs on addresses, not on lines: a box that begins at its fourth line continues it.
TEST(TensorWalk, ABoxThatBeginsInsideAPatternContinuesIt) {
  const Tensor tensor(plane(TensorSwizzle::k128, 64, 12));
  const int first[] = {0, 0}, later[] = {0, 4};
  SharedWindow whole(kWindowBytes), part(kWindowBytes);
  whole.load(walk_box(tensor.spec, first, kBase, 0, false));
  part.load(walk_box(tensor.spec, later, kBase + 4 * 128, 0, false));
  for (std::uint32_t address = kBase + 4 * 128; address < kBase + 12 * 128; ++address) {
    ASSERT_EQ(part.at<std::byte>(address), whole.at<std::byte>(address)) << address - kBase;
  }
}

// Offsets count from the start of the window's part that the block owns; the pattern does not.
TEST(TensorWalk, OffsetsCountFromTheStartOfTheBlocksMemory) {
  const Tensor tensor(plane(TensorSwizzle::k128, 64, 8));
  const int at[] = {0, 0};
  const auto from_zero = walk_box(tensor.spec, at, kBase + 128, 0, false);
  const auto from_base = walk_box(tensor.spec, at, kBase + 128, 384, false);
  ASSERT_EQ(from_zero.size(), from_base.size());
  for (std::size_t i = 0; i < from_zero.size(); ++i) {
    EXPECT_EQ(from_zero[i].shared, from_base[i].shared + 384);
    EXPECT_EQ(from_zero[i].global, from_base[i].global);
  }
}

}  // namespace
}  // namespace tilewright::hw::sim
