// Global memory is reached through this view: a pointer on the card, a checked one elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/attributes.h"

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct Global {
  T* data;

  TW_DEVICE T& operator[](std::int64_t index) const { return data[index]; }
  TW_DEVICE Global operator+(std::int64_t offset) const { return {data + offset}; }
  TW_DEVICE void operator+=(std::int64_t offset) { data += offset; }
  TW_DEVICE bool operator==(std::nullptr_t) const { return data == nullptr; }
};

}  // namespace tilewright::hw::inline TW_TARGET
