// Copies of 16 bytes: through registers, and asynchronous from global to shared memory.
#pragma once

#include "hw/attributes.h"
#include "hw/element.h"
#include "hw/ptx/global.h"
#include "hw/ptx/shared.h"

namespace tilewright::hw::inline TW_TARGET {

// The first `bytes` (0..16, even) at `source` and zeros after them; the rest is not read.
template <class T>
TW_DEVICE Vec16 load_16_or_zero(Global<const T> source, int bytes) {
  if (bytes == 16) {
    const uint4 v = *reinterpret_cast<const uint4*>(source.data);
    return {{v.x, v.y, v.z, v.w}};
  }
  Vec16 v = {};
  const auto* half_words = reinterpret_cast<const std::uint16_t*>(source.data);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (2 * i < bytes) v.word[i / 2] |= static_cast<std::uint32_t>(half_words[i]) << i % 2 * 16;
  }
  return v;
}

TW_DEVICE uint4 as_uint4(const Vec16& v) {
  return make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
}
// Sixteen bytes, 16-byte aligned.
template <class T>
TW_DEVICE void store_16(Global<T> target, const Vec16& v) {
  *reinterpret_cast<uint4*>(target.data) = as_uint4(v);
}
template <class T>
TW_DEVICE void store_16(Shared<T> target, const Vec16& v) {
  *reinterpret_cast<uint4*>(target.data) = as_uint4(v);
}
template <class T>
TW_DEVICE Vec16 load_16(Shared<T> source) {
  const uint4 v = *reinterpret_cast<const uint4*>(source.data);
  return {{v.x, v.y, v.z, v.w}};
}
// Eight floats from shared memory, 16-byte aligned.
TW_DEVICE void load_eight(float (&values)[8], Shared<float> source) {
  const float4 low = *reinterpret_cast<const float4*>(source.data);
  const float4 high = *reinterpret_cast<const float4*>(source.data + 4);
  values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
  values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
}
// Two floats, 8-byte aligned.
TW_DEVICE void store_8(Global<float> target, float low, float high) {
  *reinterpret_cast<float2*>(target.data) = make_float2(low, high);
}

// cp.async.cg.shared.global 16 bytes, past L1. Reads `source_bytes` (0..16) and zero-fills the
// rest: nothing is read where it is 0, but `source` must still be 16-byte aligned.
template <class T>
TW_DEVICE void cp_async_16(Shared<T> target, Global<const T> source, int source_bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(target.address()),
               "l"(source.data), "r"(source_bytes)
               : "memory");
}

// The same, all or nothing: 16 bytes where `read`, else zeros. Cheaper than a byte count, which the
// hardware wants folded into the address.
template <class T>
TW_DEVICE void cp_async_16_if(Shared<T> target, Global<const T> source, bool read) {
  asm volatile(
      "{\n .reg .pred skip;\n setp.eq.s32 skip, %2, 0;\n"
      " cp.async.cg.shared.global [%0], [%1], 16, skip;\n}\n" ::"r"(target.address()),
      "l"(source.data), "r"(static_cast<int>(read))
      : "memory");
}

// Closes the group of all cp.async that this thread issued since the last one.
TW_DEVICE void cp_async_commit() {
  asm volatile("cp.async.commit_group;\n" ::: "memory");
}

// Waits until at most `kPending` of this thread's groups are still under way. Other threads' copies
// are visible only after a barrier.
template <int kPending>
TW_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending) : "memory");
}

}  // namespace tilewright::hw::inline TW_TARGET
