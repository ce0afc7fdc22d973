// griddepcontrol, simulated: one launch runs at a time, so there is nothing to wait for.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE void grid_dependency_wait() {}
TW_DEVICE void grid_dependency_launch() {}

}  // namespace tilewright::hw::inline TW_TARGET
