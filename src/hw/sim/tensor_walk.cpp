#include "hw/sim/tensor_walk.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "hw/sim/matrix_descriptor.h"

namespace tilewright::hw::sim {
namespace {

// What the hardware writes for NaN in each type.
void fill_with_nan(TensorType type, std::byte (&fill)[16]) {
  if (bytes_of(type) == 2) {
    const std::uint16_t nan = 0x7fff;
    for (int i = 0; i < 8; ++i) std::memcpy(fill + i * 2, &nan, 2);
  } else {
    const std::uint32_t nan = 0x7fffffff;
    for (int i = 0; i < 4; ++i) std::memcpy(fill + i * 4, &nan, 4);
  }
}

}  // namespace

std::vector<Piece> walk_box(const TensorMapSpec& spec, const int* at, std::uint32_t shared_address,
                            std::uint32_t window_start) {
  const auto element = static_cast<std::uint32_t>(bytes_of(spec.type));
  const auto width = static_cast<std::uint32_t>(width_of(spec.swizzle));
  std::array<int, kMostTensorRank> counts = {}, index = {};
  for (int i = 0; i < spec.rank; ++i) counts[static_cast<std::size_t>(i)] = box_elements(spec, i);
  const auto total = static_cast<std::uint32_t>(box_bytes(spec)) / element;
  // Runs of elements that lie side by side on both sides; never over the border of 16 bytes.
  std::vector<Piece> pieces;
  std::int64_t expected_global = -1;
  // A swizzled line occupies the swizzle's whole width only if it has that many bytes; lines follow
  // each other without gaps.
  for (std::uint32_t n = 0; n < total; ++n) {
    bool inside = true;
    std::int64_t global = 0;
    for (int i = 0; i < spec.rank; ++i) {
      const std::int64_t coordinate =
          at[i] + std::int64_t{index[static_cast<std::size_t>(i)]} * spec.element_strides[i];
      inside = inside && coordinate >= 0 && coordinate < spec.extents[i];
      global += coordinate * (i == 0 ? std::int64_t{element} : spec.strides_bytes[i - 1]);
    }
    const std::uint32_t plain = shared_address + n * element;
    const std::uint32_t address =
        (spec.swizzle == TensorSwizzle::kNone ? plain : swizzled(plain, width)) - window_start;
    const bool begins = plain % 16 == 0 || pieces.empty() ||
                        (pieces.back().global != nullptr) != inside ||
                        (inside && global != expected_global);
    if (begins) {
      std::byte* const data =
          inside ? static_cast<std::byte*>(const_cast<void*>(spec.base)) + global : nullptr;
      pieces.push_back({address, element, data});
      if (spec.nan_fill) fill_with_nan(spec.type, pieces.back().fill);
    } else {
      pieces.back().bytes += element;
    }
    expected_global = global + element;
    for (int i = 0; i < spec.rank; ++i) {
      int& each = index[static_cast<std::size_t>(i)];
      if (++each < counts[static_cast<std::size_t>(i)]) break;
      each = 0;
    }
  }
  return pieces;
}

}  // namespace tilewright::hw::sim
