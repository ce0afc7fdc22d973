// Global memory in the simulator: a pointer whose every access must lie in what the launch was
// given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hw/attributes.h"
#include "hw/sim/machine.h"

namespace tilewright::hw::sim {

template <class T>
class GlobalElement {
 public:
  GlobalElement(T* data, Site at) : data_(data), at_(at) {}
  operator std::remove_const_t<T>() const {
    Machine::now().check_global(data_, sizeof(T), alignof(T), false, at_);
    return *data_;
  }
  const GlobalElement& operator=(const T& value) const requires(!std::is_const_v<T>) {
    Machine::now().check_global(data_, sizeof(T), alignof(T), true, at_);
    *data_ = value;
    return *this;
  }

 private:
  T* data_;
  Site at_;
};

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct Global {
  T* data;

  sim::GlobalElement<T> operator[](sim::IndexAt<std::int64_t> index) const {
    sim::Machine::now().self().last = index.at;
    return {(*this + index.value).data, index.at};
  }
  // A pointer may go outside, as it may on a card; only what it is used for is checked.
  Global operator+(std::int64_t elements) const {
    return {reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) +
                                 static_cast<std::uintptr_t>(elements) * sizeof(T))};
  }
  void operator+=(std::int64_t elements) { *this = *this + elements; }
  bool operator==(std::nullptr_t) const { return data == nullptr; }
};

}  // namespace tilewright::hw::inline TW_TARGET
