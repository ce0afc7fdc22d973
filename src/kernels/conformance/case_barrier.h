// The mbarrier that cases with bulk copies wait for.
#pragma once

#include "hw/cluster.h"
#include "hw/fence.h"
#include "hw/mbarrier.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

// Makes a barrier for one arrival at shared byte 0; all blocks of the cluster may use it after
// this.
TW_DEVICE hw::Mbarrier make_barrier() {
  const hw::Mbarrier barrier = hw::dynamic_shared<std::uint64_t>();
  if (hw::thread_index() == 0) {
    hw::mbarrier_init(barrier, 1);
    hw::fence_mbarrier_init();
  }
  hw::cluster_sync();
  return barrier;
}

}  // namespace tilewright::kernels::inline TW_TARGET
