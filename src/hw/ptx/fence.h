// Fences between ordinary accesses and those of the asynchronous proxy: bulk copies and wgmma.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

// fence.mbarrier_init: fresh mbarriers may be used by copies and, after a cluster barrier, by other
// blocks.
TW_DEVICE void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}
// fence.proxy.async: what this thread and those it has waited for stored is there for the
// asynchronous proxy. In shared memory, in global memory, in both.
TW_DEVICE void fence_proxy_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}
TW_DEVICE void fence_proxy_async_global() {
  asm volatile("fence.proxy.async.global;\n" ::: "memory");
}
TW_DEVICE void fence_proxy_async() {
  asm volatile("fence.proxy.async;\n" ::: "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
