// Shared memory is reached through this view: a pointer on the card, a checked one elsewhere.
#pragma once

#include <cstdint>

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct Shared {
  T* data;

  TW_DEVICE T& operator[](int index) const { return data[index]; }
  TW_DEVICE Shared operator+(int offset) const { return {data + offset}; }
  // The 32-bit address that ldmatrix and cp.async take.
  TW_DEVICE std::uint32_t address() const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(data));
  }
};

// The block's dynamic shared memory from `offset_bytes` on; it begins at a multiple of 1024.
template <class T>
TW_DEVICE Shared<T> dynamic_shared(int offset_bytes = 0) {
  extern __shared__ __align__(1024) unsigned char tw_dynamic_shared[];
  return {reinterpret_cast<T*>(tw_dynamic_shared + offset_bytes)};
}

}  // namespace tilewright::hw::inline TW_TARGET
