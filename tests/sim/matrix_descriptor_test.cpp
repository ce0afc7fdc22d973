#include "hw/sim/matrix_descriptor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hw/sim/tensor_walk.h"
#include "tests/sim/shared_window.h"

namespace tilewright::hw::sim {
namespace {

constexpr std::uint32_t kTile = 5 * 1024, kWindowBytes = 128 * 1024;

struct Swizzle {
  WgmmaSwizzle wgmma;
  TensorSwizzle tensor;
  int width_bytes;
};
constexpr Swizzle kSwizzles[] = {{WgmmaSwizzle::kNone, TensorSwizzle::kNone, 16},
                                 {WgmmaSwizzle::k32, TensorSwizzle::k32, 32},
                                 {WgmmaSwizzle::k64, TensorSwizzle::k64, 64},
                                 {WgmmaSwizzle::k128, TensorSwizzle::k128, 128}};

TEST(MatrixDescriptor, TheFieldsAreWhereTheIsaPutsThem) {
  constexpr DecodedDescriptor kDecoded =
      decode_descriptor(0x1234ull | 0x2345ull << 16 | 0x3456ull << 32 | 5ull << 49 | 2ull << 62);
  static_assert(kDecoded.address == 0x12340 && kDecoded.leading_bytes == 0x23450 &&
                kDecoded.stride_bytes == 0x34560 && kDecoded.base_offset == 5 &&
                kDecoded.swizzle == WgmmaSwizzle::k64);
  for (const Swizzle& swizzle : kSwizzles) {
    const DecodedDescriptor made =
        decode_descriptor((make_wgmma_descriptor(0x8400, 0x2000, 0x400, swizzle.wgmma) + 96).bits);
    EXPECT_EQ(made.address, 0x8460u);
    EXPECT_EQ(made.leading_bytes, 0x2000u);
    EXPECT_EQ(made.stride_bytes, 0x400u);
    EXPECT_EQ(made.base_offset, 0u);
    EXPECT_EQ(made.swizzle, swizzle.wgmma);
  }
}

// [lines][elements of a line] of `bytes` bytes each, every element told apart from the rest.
struct Tensor {
  int lines, columns, bytes;
  std::vector<std::byte> data;

  Tensor(int of_lines, int of_columns, int of_bytes)
      : lines(of_lines), columns(of_columns), bytes(of_bytes) {
    const auto elements = static_cast<std::uint32_t>(lines * columns);
    data.resize(static_cast<std::size_t>(lines * columns * bytes));
    for (std::uint32_t i = 0; i < elements; ++i) {
      // One byte cannot tell all apart: neighbours, lines and eights of lines differ.
      const std::uint32_t value = bytes == 1 ? i * 41 + i / 128 * 7 + i / 1024 * 3 : i;
      std::memcpy(&data[i * static_cast<std::uint32_t>(bytes)], &value,
                  static_cast<std::size_t>(bytes));
    }
  }
  const std::byte* at(int line, int column) const {
    return &data[static_cast<std::size_t>((line * columns + column) * bytes)];
  }
  // Brings the lines' bytes [first, first + width) to `address`.
  void load(SharedWindow& window, const Swizzle& swizzle, int first_byte, int width_bytes,
            std::uint32_t address) const {
    const TensorType type = bytes == 1   ? TensorType::kU8
                            : bytes == 2 ? TensorType::kF16
                                         : TensorType::kF32;
    const TensorMapSpec spec = {.type = type,
                                .rank = 2,
                                .base = data.data(),
                                .extents = {columns, lines},
                                .strides_bytes = {columns * bytes},
                                .box = {width_bytes / bytes, lines},
                                .swizzle = swizzle.tensor};
    ASSERT_TRUE(check(spec).ok()) << check(spec).message();
    const int coordinates[] = {first_byte / bytes, 0};
    window.load(walk_box(spec, coordinates, address, 0, false));
  }
};

bool holds(const SharedWindow& window, std::uint32_t address, const Tensor& tensor, int line,
           int column) {
  for (int i = 0; i < tensor.bytes; ++i) {
    if (window.at<std::byte>(address + static_cast<std::uint32_t>(i)) !=
        tensor.at(line, column)[i]) {
      return false;
    }
  }
  return true;
}

// Rows along M or N, K contiguous: one box as wide as the swizzle; the steps of 32 bytes of K move
// the start address inside of the pattern. Plain operands have a box for each 16 bytes of K.
TEST(MatrixDescriptor, AKMajorTileThatATensorCopyBroughtIsReadBack) {
  for (const Swizzle& swizzle : kSwizzles) {
    for (const int bytes : {1, 2, 4}) {
      constexpr int kRows = 64;
      const bool plain = swizzle.tensor == TensorSwizzle::kNone;
      const int row_bytes = plain ? 128 : swizzle.width_bytes;
      const Tensor tensor(kRows, row_bytes / bytes, bytes);
      SharedWindow window(kWindowBytes);
      constexpr int kCoreColumn = kRows * 16;
      for (int byte = 0; byte < row_bytes; byte += swizzle.width_bytes) {
        tensor.load(window, swizzle, byte, swizzle.width_bytes,
                    kTile + static_cast<std::uint32_t>(byte / 16 * kCoreColumn));
      }
      const WgmmaDescriptor tile = make_wgmma_descriptor(
          kTile, kCoreColumn, plain ? 128 : 8 * swizzle.width_bytes, swizzle.wgmma);
      for (int step = 0; step < row_bytes / 32; ++step) {
        const DecodedDescriptor operand =
            decode_descriptor((tile + step * (plain ? 2 * kCoreColumn : 32)).bits);
        for (int row = 0; row < kRows; ++row) {
          for (int k = 0; k < 32 / bytes; ++k) {
            const std::uint32_t address = element_address(operand, Major::kK, bytes, row, k);
            ASSERT_TRUE(holds(window, address, tensor, row, step * 32 / bytes + k))
                << "width " << swizzle.width_bytes << ", element bytes " << bytes << ", step "
                << step << ", row " << row << ", k " << k;
          }
        }
      }
    }
  }
}

// Lines along K, M or N contiguous: a box for each swizzle width of M or N.
TEST(MatrixDescriptor, AnMnMajorTileThatATensorCopyBroughtIsReadBack) {
  for (const Swizzle& swizzle : kSwizzles) {
    constexpr int kK = 64, kExtent = 128, kBytes = 2, kDepth = 16;
    const bool plain = swizzle.tensor == TensorSwizzle::kNone;
    const Tensor tensor(kK, kExtent, kBytes);
    SharedWindow window(kWindowBytes);
    const int box_bytes = kK * swizzle.width_bytes, eight_lines = 8 * swizzle.width_bytes;
    for (int byte = 0; byte < kExtent * kBytes; byte += swizzle.width_bytes) {
      tensor.load(window, swizzle, byte, swizzle.width_bytes,
                  kTile + static_cast<std::uint32_t>(byte / swizzle.width_bytes * box_bytes));
    }
    const WgmmaDescriptor tile =
        plain ? make_wgmma_descriptor(kTile, eight_lines, box_bytes, swizzle.wgmma)
              : make_wgmma_descriptor(kTile, box_bytes, eight_lines, swizzle.wgmma);
    for (int step = 0; step < kK / kDepth; ++step) {
      const DecodedDescriptor operand = decode_descriptor((tile + step * 2 * eight_lines).bits);
      for (int mn = 0; mn < kExtent; ++mn) {
        for (int k = 0; k < kDepth; ++k) {
          const std::uint32_t address = element_address(operand, Major::kMN, kBytes, mn, k);
          ASSERT_TRUE(holds(window, address, tensor, step * kDepth + k, mn))
              << "width " << swizzle.width_bytes << ", step " << step << ", mn " << mn << ", k "
              << k;
        }
      }
    }
  }
}

// CUTLASS writes the layouts as Swizzle<B, 4, 3> over strides in units of 16 bytes:
//   K-major   plain ((8,n),2):((1,SBO),LBO)            swizzled ((8,n),2):((W,SBO),1)
//   MN-major  plain ((1,n),(8,k)):((-,SBO),(1,LBO))    swizzled ((W,n),(8,k)):((1,LBO),(W,SBO))
// where W = 2^B is the swizzle's width in 16 bytes.
std::uint32_t cutlass_address(std::uint32_t start, std::uint32_t lbo, std::uint32_t sbo, int b,
                              Major major, int mn, int k) {
  const auto line = static_cast<std::uint32_t>(major == Major::kK ? mn : k);
  const auto along = static_cast<std::uint32_t>(major == Major::kK ? k : mn) * 2;
  const std::uint32_t w = 1u << b, piece = along / 16, row = line % 8, eight = line / 8;
  std::uint32_t units;
  if (major == Major::kK) {
    units = b == 0 ? row + eight * sbo + piece * lbo : row * w + eight * sbo + piece;
  } else {
    units = b == 0 ? piece * sbo + row + eight * lbo
                   : piece % w + piece / w * lbo + row * w + eight * sbo;
  }
  const std::uint32_t address = start + units * 16 + along % 16;
  return address ^ ((address & (w - 1) << 7) >> 3);
}

TEST(MatrixDescriptor, AddressesAreThoseOfTheCanonicalLayouts) {
  constexpr int kExtent = 256, kDepth = 16;
  constexpr std::uint32_t kLeading = 0x180, kStride = 0x240;  // in 16 bytes
  for (const Swizzle& swizzle : kSwizzles) {
    const int b = swizzle.width_bytes == 128  ? 3
                  : swizzle.width_bytes == 64 ? 2
                  : swizzle.width_bytes == 32 ? 1
                                              : 0;
    for (const Major major : {Major::kK, Major::kMN}) {
      const DecodedDescriptor operand = {kTile, kLeading * 16, kStride * 16, 0, swizzle.wgmma};
      for (int mn = 0; mn < kExtent; ++mn) {
        for (int k = 0; k < kDepth; ++k) {
          ASSERT_EQ(element_address(operand, major, 2, mn, k),
                    cutlass_address(kTile, kLeading, kStride, b, major, mn, k))
              << "width " << swizzle.width_bytes << ", mn " << mn << ", k " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::hw::sim
