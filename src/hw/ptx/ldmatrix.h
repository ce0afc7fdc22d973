// ldmatrix: 8x8 matrices of 16-bit elements from shared memory into fragments.
//
// Lane l gives the address of row l % 8 of matrix l / 8, 16-byte aligned; with x1 and x2 only the
// lanes of the first one or two matrices are asked. Register i receives matrix i: lane l holds
// elements (l / 4, 2 (l % 4)) and the one to its right. With _trans each matrix is transposed on
// the way.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
TW_DEVICE void ldmatrix_x1(std::uint32_t (&r)[1], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\n"
               : "=r"(r[0])
               : "r"(row.address())
               : "memory");
}

template <class T>
TW_DEVICE void ldmatrix_x2(std::uint32_t (&r)[2], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row.address())
               : "memory");
}

template <class T>
TW_DEVICE void ldmatrix_x4(std::uint32_t (&r)[4], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row.address())
               : "memory");
}

template <class T>
TW_DEVICE void ldmatrix_x1_trans(std::uint32_t (&r)[1], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];\n"
               : "=r"(r[0])
               : "r"(row.address())
               : "memory");
}

template <class T>
TW_DEVICE void ldmatrix_x2_trans(std::uint32_t (&r)[2], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row.address())
               : "memory");
}

template <class T>
TW_DEVICE void ldmatrix_x4_trans(std::uint32_t (&r)[4], Shared<T> row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row.address())
               : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
