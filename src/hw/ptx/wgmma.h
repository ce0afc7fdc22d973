// wgmma: a warpgroup multiplies 64 x N x 32 bytes of K, asynchronously.
//
// D stays in registers: warp w has rows 16w.., and with g = lane / 4 and t = lane % 4 registers
// 4j .. 4j + 3 hold (g, 8j + 2t), its neighbour, and both of row g + 8. A comes from shared memory
// or from four registers, which lie as A of mma.sync does; B comes from shared memory. Until the
// wait that covers it a product may read its operands and change its sums at any time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/ptx/shared.h"
#include "hw/wgmma_types.h"

#include "hw/ptx/wgmma_forms.h"  // generated: WgmmaForm<T, kN>

namespace tilewright::hw::inline TW_TARGET {

// `tile` must be aligned to eight swizzled rows, 1024, 512 or 256 bytes; offsets as WgmmaDescriptor
// has them.
template <class T>
TW_DEVICE WgmmaDescriptor wgmma_descriptor(Shared<T> tile, int leading_bytes, int stride_bytes,
                                           WgmmaSwizzle swizzle) {
  return make_wgmma_descriptor(tile.address(), leading_bytes, stride_bytes, swizzle);
}

// d = a * b, plus d where `accumulate`. T: F16, BF16 with any majors; TF32, E4M3, E5M2 and
// std::int8_t (sums int) with both operands K-major. kN: a multiple of 8 up to 256, of those types
// some.
template <class T, int kN, Major kA = Major::kK, Major kB = Major::kK, class Sum, std::size_t kSums>
TW_DEVICE void wgmma(Sum (&d)[kSums], WgmmaDescriptor a, WgmmaDescriptor b, bool accumulate) {
  static_assert(kSums == kN / 2, "a thread holds N / 2 sums");
  static_assert(sizeof(T) == 2 || (kA == Major::kK && kB == Major::kK),
                "only 16-bit operands may be MN-major");
  WgmmaForm<T, kN>::template shared<static_cast<int>(kA), static_cast<int>(kB)>(d, a.bits, b.bits,
                                                                                accumulate);
}
template <class T, int kN, Major kB = Major::kK, class Sum, std::size_t kSums>
TW_DEVICE void wgmma(Sum (&d)[kSums], const std::uint32_t (&a)[4], WgmmaDescriptor b,
                     bool accumulate) {
  static_assert(kSums == kN / 2, "a thread holds N / 2 sums");
  static_assert(sizeof(T) == 2 || kB == Major::kK, "only 16-bit operands may be MN-major");
  WgmmaForm<T, kN>::template registers<static_cast<int>(kB)>(d, a, b.bits, accumulate);
}

// Before the first product, and whenever ordinary code has touched sums or A's registers since the
// last one.
TW_DEVICE void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}
// Closes the group of the products issued since the last one.
TW_DEVICE void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
// Waits until at most kPending groups are under way.
template <int kPending>
TW_DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kPending) : "memory");
}
// No instruction: tells the compiler that the registers change here, so that it reads them after
// the wait and not before it.
template <std::size_t kSums>
TW_DEVICE void wgmma_hold(float (&d)[kSums]) {
#pragma unroll
  for (std::size_t i = 0; i < kSums; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <std::size_t kSums>
TW_DEVICE void wgmma_hold(int (&d)[kSums]) {
#pragma unroll
  for (std::size_t i = 0; i < kSums; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
