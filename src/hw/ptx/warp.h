// What the lanes of a warp tell each other. All 32 take part.
#pragma once

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

// shfl.sync: the value of another lane; T is a 4-byte number. A lane outside the warp: one's own.
template <class T>
TW_DEVICE T shuffle_xor(T value, int lane_mask) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask);
}
template <class T>
TW_DEVICE T shuffle_index(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
template <class T>
TW_DEVICE T shuffle_up(T value, int delta) {
  return __shfl_up_sync(0xffffffffu, value, static_cast<unsigned>(delta));
}
template <class T>
TW_DEVICE T shuffle_down(T value, int delta) {
  return __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta));
}

// vote.sync: bit l of the ballot is lane l's predicate.
TW_DEVICE unsigned vote_ballot(bool predicate) {
  return __ballot_sync(0xffffffffu, predicate);
}
TW_DEVICE bool vote_any(bool predicate) {
  return __any_sync(0xffffffffu, predicate) != 0;
}
TW_DEVICE bool vote_all(bool predicate) {
  return __all_sync(0xffffffffu, predicate) != 0;
}

// redux.sync on unsigned numbers.
TW_DEVICE unsigned reduce_add(unsigned value) {
  return __reduce_add_sync(0xffffffffu, value);
}
TW_DEVICE unsigned reduce_min(unsigned value) {
  return __reduce_min_sync(0xffffffffu, value);
}
TW_DEVICE unsigned reduce_max(unsigned value) {
  return __reduce_max_sync(0xffffffffu, value);
}
TW_DEVICE unsigned reduce_and(unsigned value) {
  return __reduce_and_sync(0xffffffffu, value);
}
TW_DEVICE unsigned reduce_or(unsigned value) {
  return __reduce_or_sync(0xffffffffu, value);
}
TW_DEVICE unsigned reduce_xor(unsigned value) {
  return __reduce_xor_sync(0xffffffffu, value);
}

// elect.sync: true for one lane, always the same of a warp. sm_90.
TW_DEVICE bool elect_one() {
  unsigned elected;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}\n"
               : "=r"(elected));
  return elected != 0;
}

}  // namespace tilewright::hw::inline TW_TARGET
