// Fences, simulated. A proxy fence lets the asynchronous proxy rely on all that this thread knows
// of.
#pragma once

#include "hw/attributes.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE void fence_mbarrier_init(sim::Site at = sim::Site::current()) {
  sim::fence_mbarrier_init(at);
}
TW_DEVICE void fence_proxy_async_shared(sim::Site at = sim::Site::current()) {
  sim::fence_proxy(at);
}
TW_DEVICE void fence_proxy_async(sim::Site at = sim::Site::current()) {
  sim::fence_proxy(at);
}
// Orders global memory, which the simulator does not follow.
TW_DEVICE void fence_proxy_async_global() {}

}  // namespace tilewright::hw::inline TW_TARGET
