#include "hw/sim/tensor_walk.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "hw/sim/matrix_descriptor.h"

namespace tilewright::hw::sim {
namespace {

// What an H200 writes for NaN, in every floating type (facts.md, TMA).
void fill_with_nan(std::byte (&fill)[16]) {
  constexpr std::uint16_t kNan = 0x7ff7;
  for (int i = 0; i < 8; ++i) std::memcpy(fill + i * 2, &kNan, 2);
}

}  // namespace

std::vector<Piece> walk_box(const TensorMapSpec& spec, const int* at, std::uint32_t shared_address,
                            std::uint32_t window_start, bool stores) {
  const auto element = static_cast<std::uint32_t>(bytes_of(spec.type));
  const auto width = static_cast<std::uint32_t>(width_of(spec.swizzle));
  std::array<int, kMostTensorRank> counts = {}, index = {};
  for (int i = 0; i < spec.rank; ++i) counts[static_cast<std::size_t>(i)] = box_elements(spec, i);
  const auto line = static_cast<std::uint32_t>(counts[0]);
  const auto pitch = static_cast<std::uint32_t>(line_pitch_bytes(spec));
  const auto total = static_cast<std::uint32_t>(box_bytes(spec)) / element;
  // Runs of elements that lie side by side on both sides; never over the border of 16 bytes.
  std::vector<Piece> pieces;
  std::int64_t expected_global = -1;
  for (std::uint32_t n = 0; n < total; ++n) {
    bool inside = true;
    std::int64_t global = 0;
    for (int i = 0; i < spec.rank; ++i) {
      const std::int64_t coordinate =
          at[i] + std::int64_t{index[static_cast<std::size_t>(i)]} * spec.element_strides[i];
      // A store looks at the 16 bytes that an element lies in: those that begin inside are written
      // whole.
      const std::int64_t judged =
          stores && i == 0 ? coordinate - coordinate % (16 / std::int64_t{element}) : coordinate;
      inside = judged >= 0 && judged < spec.extents[i];
      if (!inside) break;  // the address of what lies far outside may not fit in 64 bits
      global += coordinate * (i == 0 ? std::int64_t{element} : spec.strides_bytes[i - 1]);
    }
    const std::uint32_t plain = shared_address + n / line * pitch + n % line * element;
    const std::uint32_t address =
        (spec.swizzle == TensorSwizzle::kNone ? plain : swizzled(plain, width)) - window_start;
    const bool begins = plain % 16 == 0 || pieces.empty() ||
                        (pieces.back().global != nullptr) != inside ||
                        (inside && global != expected_global);
    if (begins) {
      std::byte* const data =
          inside ? static_cast<std::byte*>(const_cast<void*>(spec.base)) + global : nullptr;
      pieces.push_back({address, element, data});
      if (spec.nan_fill) fill_with_nan(pieces.back().fill);
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
