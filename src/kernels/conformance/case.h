// What a conformance case is: a kernel that calls functions of src/hw on given words and writes
// down what it got. The same text runs on a card and in the simulator, and the words are compared.
#pragma once

#include <bit>
#include <cstdint>

#include "hw/attributes.h"
#include "hw/barrier.h"
#include "hw/global.h"
#include "hw/index.h"
#include "hw/shared.h"
#include "kernels/conformance/case_info.h"

namespace tilewright::kernels::inline TW_TARGET {

using Words = hw::Global<std::uint32_t>;
using GivenWords = hw::Global<const std::uint32_t>;

// Shared memory from a run of words and back, by all threads of the block.
TW_DEVICE void words_to_shared(hw::Shared<std::uint32_t> to, GivenWords from, int count) {
  for (int i = hw::thread_index(); i < count; i += hw::thread_count()) to[i] = from[i];
}
TW_DEVICE void shared_to_words(Words to, hw::Shared<std::uint32_t> from, int count) {
  for (int i = hw::thread_index(); i < count; i += hw::thread_count()) to[i] = from[i];
}

// Inputs lie in (-1, 1): a sum of k products and the accumulator is below k + 1, and a card keeps
// at least 23 bits of the largest term.
constexpr double sum_bound(int k, int bits) {
  double bound = k + 1;
  for (int i = 0; i < bits; ++i) bound /= 2;
  return bound;
}

template <class T>
TW_DEVICE std::uint32_t bits_of(T value) {
  static_assert(sizeof(T) == 4);
  return std::bit_cast<std::uint32_t>(value);
}
TW_DEVICE float as_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

}  // namespace tilewright::kernels::inline TW_TARGET
