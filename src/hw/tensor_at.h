// Small words of the bulk copies that mean the same on both targets.
#pragma once

#include <cstdint>

namespace tilewright::hw {

// Coordinates of a box's first element, the contiguous dimension first.
template <int kRank>
struct TensorAt {
  static_assert(kRank >= 1 && kRank <= 5, "tensors have 1 to 5 dimensions");
  int at[kRank];
};
template <class... Ints>
TensorAt(Ints...) -> TensorAt<static_cast<int>(sizeof...(Ints))>;

// How long L2 should keep what a copy touches: made by policy_evict_first() and its likes.
struct CachePolicy {
  std::uint64_t bits = 0;
};

}  // namespace tilewright::hw
