// Memory where a device's kernels can reach it, the same to a test on the CPU and on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tilewright/device.h"
#include "tilewright/gemm.h"

namespace tilewright::tests {

// On the CPU a private mapping whose pages are backed when they are first written, so a sparse
// buffer of many gigabytes costs what is used of it. Throws when there is no memory: a broken
// test, not a result.
class Memory {
 public:
  Memory(const DeviceInfo& device, std::int64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  void write(std::int64_t offset, const void* from, std::int64_t count);
  void read(std::int64_t offset, void* to, std::int64_t count) const;
  // Copies the first `block` bytes behind themselves until `total` bytes hold the pattern.
  void repeat(std::int64_t block, std::int64_t total);

 private:
  Backend backend_;
  std::int64_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

// The default stream, or one of its own that does not wait for the default one. No stream on the
// CPU.
class TestStream {
 public:
  TestStream(const DeviceInfo& device, bool own);
  ~TestStream();
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_;
};

// Waits for all work of the device; what went wrong with it, empty when nothing did.
std::string device_fault(const DeviceInfo& device);

// Bytes that a test may still allocate on the device.
std::int64_t free_bytes(const DeviceInfo& device);

}  // namespace tilewright::tests
