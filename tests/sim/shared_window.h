// Shared memory as the tests of addresses see it: bytes of the 32-bit window, and what was never
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/sim/async.h"

namespace tilewright::hw::sim {

class SharedWindow {
 public:
  static constexpr std::byte kUntouched{0xa5};

  explicit SharedWindow(std::uint32_t bytes) : bytes_(bytes, kUntouched) {}

  // What a load of these pieces leaves behind.
  void load(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      std::memcpy(
          &bytes_.at(piece.shared),
          piece.global != nullptr ? piece.global : static_cast<const std::byte*>(piece.fill),
          piece.bytes);
    }
  }

  template <class T>
  T at(std::uint32_t address) const {
    T value;
    std::memcpy(&value, &bytes_.at(address), sizeof(T));
    return value;
  }
  template <class T>
  void set(std::uint32_t address, T value) {
    std::memcpy(&bytes_.at(address), &value, sizeof(T));
  }

  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tilewright::hw::sim
