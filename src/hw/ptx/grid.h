// griddepcontrol: this grid and the one before it in the stream, launched to overlap. sm_90.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

// Until the grids before have ended and what they wrote can be read.
TW_DEVICE void grid_dependency_wait() {
  asm volatile("griddepcontrol.wait;\n" ::: "memory");
}
// The next grid may start when all blocks have said so or ended.
TW_DEVICE void grid_dependency_launch() {
  asm volatile("griddepcontrol.launch_dependents;\n" ::: "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
