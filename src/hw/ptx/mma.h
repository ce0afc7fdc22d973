// mma.sync: warp-wide matrix products on fragments.
//
// With g = lane / 4 and t = lane % 4, m16n8k16 holds
//   A: a[0] (g, 2t..) a[1] (g + 8, 2t..) a[2] (g, 2t + 8..) a[3] (g + 8, 2t + 8..), pairs along k;
//   B: b[0] (2t.., g) b[1] (2t + 8.., g), pairs along k;
//   D: d[0], d[1] (g, 2t..), d[2], d[3] (g + 8, 2t..).
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/element.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                            std::uint32_t b1);

template <>
TW_DEVICE void mma_m16n8k16<F16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                 std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
TW_DEVICE void mma_m16n8k16<BF16>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// m16n8k8, tf32: A: a[0] (g, t) a[1] (g + 8, t) a[2] (g, t + 4) a[3] (g + 8, t + 4); B: b0 (t, g),
// b1 (t + 4, g).
TW_DEVICE void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// m16n8k32, int8 with 32-bit sums that wrap around: as m16n8k16 with four neighbours along k in a
// word, 4t.. in the place of 2t.. and 16 in that of 8.
TW_DEVICE void mma_m16n8k32_s8(int (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                               std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};\n"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace tilewright::hw::inline TW_TARGET
