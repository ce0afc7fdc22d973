// Words in a card's memory, for host code that runs a kernel once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "hw/attributes.h"
#include "hw/ptx/launch.h"
#include "tilewright/status.h"

namespace tilewright::hw::inline TW_TARGET {

class DeviceWords {
 public:
  // A copy of `words`. After an error nothing else may be asked of it but status().
  explicit DeviceWords(std::span<const std::uint32_t> words) : bytes_(words.size_bytes()) {
    error_ = cudaMalloc(reinterpret_cast<void**>(&data_), bytes_);
    if (error_ == cudaSuccess) {
      error_ = cudaMemcpy(data_, words.data(), bytes_, cudaMemcpyHostToDevice);
    }
  }
  ~DeviceWords() { cudaFree(data_); }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  Status status() const { return status_of_launch(error_, "a copy to the card"); }
  std::uint32_t* data() const { return data_; }
  // Waits for the card.
  Status download(std::span<std::uint32_t> to) const {
    return status_of_launch(cudaMemcpy(to.data(), data_, bytes_, cudaMemcpyDeviceToHost),
                            "a kernel whose result is read");
  }

 private:
  std::uint32_t* data_ = nullptr;
  std::size_t bytes_;
  cudaError_t error_;
};

}  // namespace tilewright::hw::inline TW_TARGET
