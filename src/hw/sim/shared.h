// Shared memory in the simulator: an offset into the block's dynamic shared memory, every access
// checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hw/attributes.h"
#include "hw/sim/machine.h"

namespace tilewright::hw::sim {

// Where dynamic shared memory begins in the 32-bit window: the system keeps the first KiB.
inline constexpr std::uint32_t kSharedBase = 1024;

// An element of shared memory: what is done with it decides which access is checked.
template <class T>
class SharedElement {
 public:
  SharedElement(int rank, std::uint32_t offset, Site at) : rank_(rank), offset_(offset), at_(at) {}
  operator T() const {
    T value;
    std::memcpy(&value, Machine::now().shared_for_read(block(), offset_, sizeof(T), at_),
                sizeof(T));
    return value;
  }
  const SharedElement& operator=(const T& value) const {
    std::memcpy(Machine::now().shared_for_write(block(), offset_, sizeof(T), at_), &value,
                sizeof(T));
    return *this;
  }
  const SharedElement& operator=(const SharedElement& other) const {
    return *this = static_cast<T>(other);
  }
  const SharedElement& operator+=(const T& value) const { return *this = T(*this) + value; }

 private:
  Block& block() const { return Machine::now().block(rank_); }
  int rank_;
  std::uint32_t offset_;
  Site at_;
};

}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class T>
struct Shared {
  std::uint32_t offset;  // bytes

  sim::SharedElement<T> operator[](sim::IndexAt<int> index) const {
    sim::Thread& self = sim::Machine::now().self();
    self.last = index.at;
    return {self.block->rank, (*this + index.value).offset, index.at};
  }
  Shared operator+(int elements) const {
    return {offset + static_cast<std::uint32_t>(elements) * static_cast<std::uint32_t>(sizeof(T))};
  }
  std::uint32_t address() const { return sim::kSharedBase + offset; }
};

template <class T>
Shared<T> dynamic_shared(int offset_bytes = 0) {
  return {static_cast<std::uint32_t>(offset_bytes)};
}

}  // namespace tilewright::hw::inline TW_TARGET
