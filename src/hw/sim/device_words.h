// Words in the simulator's global memory, which is the host's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "hw/attributes.h"
#include "tilewright/status.h"

namespace tilewright::hw::inline TW_TARGET {

class DeviceWords {
 public:
  explicit DeviceWords(std::span<const std::uint32_t> words) : words_(words.size()) {
    constexpr std::size_t kAlignment = 256;  // as cudaMalloc's
    const std::size_t bytes = (words.size_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    data_ = static_cast<std::uint32_t*>(std::aligned_alloc(kAlignment, bytes));
    if (data_ != nullptr) std::copy(words.begin(), words.end(), data_);
  }
  ~DeviceWords() { std::free(data_); }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  Status status() const {
    return data_ != nullptr ? Status{} : Status{StatusCode::kDeviceError, "out of memory"};
  }
  std::uint32_t* data() const { return data_; }
  Status download(std::span<std::uint32_t> to) const {
    std::copy_n(data_, std::min(words_, to.size()), to.begin());
    return {};
  }

 private:
  std::uint32_t* data_ = nullptr;
  std::size_t words_;
};

}  // namespace tilewright::hw::inline TW_TARGET
