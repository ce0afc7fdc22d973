// stmatrix: fragments of 16-bit elements into 8x8 matrices in shared memory, the way back of
// ldmatrix with the same addresses and registers. sm_90.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void stmatrix_x1(Shared<T> row, const std::uint32_t (&r)[1]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};\n" ::"r"(row.address()),
               "r"(r[0])
               : "memory");
}

template <class T>
TW_DEVICE void stmatrix_x2(Shared<T> row, const std::uint32_t (&r)[2]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};\n" ::"r"(row.address()),
               "r"(r[0]), "r"(r[1])
               : "memory");
}

template <class T>
TW_DEVICE void stmatrix_x4(Shared<T> row, const std::uint32_t (&r)[4]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(row.address()),
      "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
      : "memory");
}

template <class T>
TW_DEVICE void stmatrix_x1_trans(Shared<T> row, const std::uint32_t (&r)[1]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};\n" ::"r"(row.address()),
               "r"(r[0])
               : "memory");
}

template <class T>
TW_DEVICE void stmatrix_x2_trans(Shared<T> row, const std::uint32_t (&r)[2]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};\n" ::"r"(row.address()),
      "r"(r[0]), "r"(r[1])
      : "memory");
}

template <class T>
TW_DEVICE void stmatrix_x4_trans(Shared<T> row, const std::uint32_t (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(
                   row.address()),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
