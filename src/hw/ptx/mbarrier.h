// mbarrier: a counter of arrivals and bytes in shared memory. A phase ends when both have come; a
// wait names the parity of the phase it waits for, 0 first. On a fresh barrier parity 1 passes.
// Arrivals release at the scope of the block, remote ones at that of the cluster; waits acquire at
// the latter.
#pragma once

#include <cstdint>

#include "hw/attributes.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

using Mbarrier = Shared<std::uint64_t>;

// `arrivals` a phase, 1 to 2^20 - 1. One thread does this, then fence_mbarrier_init() and a
// barrier.
TW_DEVICE void mbarrier_init(Mbarrier barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier.address()), "r"(arrivals)
               : "memory");
}
// Its 8 bytes may be used for something else from here on.
TW_DEVICE void mbarrier_invalidate(Mbarrier barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];\n" ::"r"(barrier.address()) : "memory");
}
TW_DEVICE void mbarrier_arrive(Mbarrier barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];\n" ::"r"(barrier.address())
               : "memory");
}
// The phase also waits for `bytes` more of copies; no arrival.
TW_DEVICE void mbarrier_expect_tx(Mbarrier barrier, int bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n" ::"r"(barrier.address()),
      "r"(bytes)
      : "memory");
}
TW_DEVICE void mbarrier_arrive_expect_tx(Mbarrier barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;\n" ::"r"(
                   barrier.address()),
               "r"(bytes)
               : "memory");
}
// Arrives at the barrier in the same place of block `rank` of the cluster.
TW_DEVICE void mbarrier_arrive_remote(Mbarrier barrier, int rank) {
  asm volatile(
      "{\n .reg .b32 remote;\n mapa.shared::cluster.u32 remote, %0, %1;\n"
      " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}\n" ::"r"(
          barrier.address()),
      "r"(rank)
      : "memory");
}

// True when the phase of this parity is complete; try_wait may sleep for a while before it says
// false.
TW_DEVICE bool mbarrier_try_wait(Mbarrier barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n .reg .pred p;\n"
      " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
      " selp.u32 %0, 1, 0, p;\n}\n"
      : "=r"(complete)
      : "r"(barrier.address()), "r"(parity)
      : "memory");
  return complete != 0;
}
TW_DEVICE bool mbarrier_test_wait(Mbarrier barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n .reg .pred p;\n"
      " mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
      " selp.u32 %0, 1, 0, p;\n}\n"
      : "=r"(complete)
      : "r"(barrier.address()), "r"(parity)
      : "memory");
  return complete != 0;
}
TW_DEVICE void mbarrier_wait(Mbarrier barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

// One arrival when all cp.async that this thread has issued so far are complete. It is not counted
// on top: init() must count it.
TW_DEVICE void cp_async_mbarrier_arrive(Mbarrier barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\n" ::"r"(barrier.address())
               : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
