// setmaxnreg: registers move from one warpgroup to another. All warps of a warpgroup execute it; a
// multiple of 8 in 24..256. sm_90a.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

template <int kCount>
TW_DEVICE void registers_increase() {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256, "a multiple of 8 in 24..256");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kCount));
}
template <int kCount>
TW_DEVICE void registers_decrease() {
  static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 256, "a multiple of 8 in 24..256");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kCount));
}

}  // namespace tilewright::hw::inline TW_TARGET
