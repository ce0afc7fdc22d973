// ldmatrix: 8x8 matrices of 16-bit elements from shared memory into fragments.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw {

// Four matrices; lane l gives the address of row l % 8 of matrix l / 8, 16-byte aligned. Register i
// receives matrix i: lane l holds elements (l / 4, 2 (l % 4)) and the one to its right.
template <class T>
TW_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row.address())
               : "memory");
}

// The same with each matrix transposed on the way.
template <class T>
TW_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row.address())
               : "memory");
}

}  // namespace tilewright::hw
