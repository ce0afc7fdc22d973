// Atomics, flags and fences on memory. They return the old value.
#pragma once

#include "hw/attributes.h"
#include "hw/ptx/global.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

TW_DEVICE unsigned atomic_add(Global<unsigned> target, unsigned value) {
  return atomicAdd(target.data, value);
}
TW_DEVICE float atomic_add(Global<float> target, float value) {
  return atomicAdd(target.data, value);
}
TW_DEVICE unsigned atomic_exchange(Global<unsigned> target, unsigned value) {
  return atomicExch(target.data, value);
}
TW_DEVICE unsigned atomic_max(Global<unsigned> target, unsigned value) {
  return atomicMax(target.data, value);
}
TW_DEVICE unsigned atomic_compare_exchange(Global<unsigned> target, unsigned expected,
                                           unsigned desired) {
  return atomicCAS(target.data, expected, desired);
}
TW_DEVICE unsigned atomic_add(Shared<unsigned> target, unsigned value) {
  return atomicAdd(target.data, value);
}
TW_DEVICE float atomic_add(Shared<float> target, float value) {
  return atomicAdd(target.data, value);
}
TW_DEVICE unsigned atomic_exchange(Shared<unsigned> target, unsigned value) {
  return atomicExch(target.data, value);
}
TW_DEVICE unsigned atomic_max(Shared<unsigned> target, unsigned value) {
  return atomicMax(target.data, value);
}
TW_DEVICE unsigned atomic_compare_exchange(Shared<unsigned> target, unsigned expected,
                                           unsigned desired) {
  return atomicCAS(target.data, expected, desired);
}

// ld.acquire.gpu and st.release.gpu: a flag between blocks.
TW_DEVICE unsigned load_acquire(Global<const unsigned> source) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];\n" : "=r"(value) : "l"(source.data) : "memory");
  return value;
}
TW_DEVICE void store_release(Global<unsigned> target, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;\n" ::"l"(target.data), "r"(value) : "memory");
}

// fence.acq_rel at the scope of the device and of the block.
TW_DEVICE void thread_fence() {
  asm volatile("fence.acq_rel.gpu;\n" ::: "memory");
}
TW_DEVICE void thread_fence_block() {
  asm volatile("fence.acq_rel.cta;\n" ::: "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
