// The memory and the stream that measuring works with, the same words for CPU and GPU. Tests derive
// from CpuDevice (device_cpu.h) to script failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "measure/protocol/fill_value.h"
#include "tilewright/device.h"
#include "tilewright/dtype.h"
#include "tilewright/gemm.h"
#include "tilewright/status.h"

namespace tilewright::measure {

struct FillSpec {
  Fill fill = Fill::kUniform;
  std::uint64_t seed = 1;
  bool negated = false;  // every value with the other sign
};

// How lines of a buffer used before are driven out of the last-level cache.
enum class Flush {
  kDiscard,  // twice the cache is written, and what was written is dropped without being stored
  kRead,     // twice the cache is read
};

// Everything is ordered on stream(); download() and checksum() wait for it.
class Device {
 public:
  virtual ~Device() = default;

  virtual Result<void*> allocate(std::int64_t bytes) = 0;  // aligned to kAllocationAlignment
  virtual void release(void* data) = 0;
  virtual Status upload(void* to, const void* from, std::int64_t bytes) = 0;
  virtual Status download(void* to, const void* from, std::int64_t bytes) = 0;
  virtual Status copy(void* to, const void* from, std::int64_t bytes) = 0;  // both on the device

  // Element i becomes fill_value(.., i) rounded to `type`: f32, f16 or bf16.
  virtual Status fill(void* data, DType type, std::int64_t elements, FillSpec spec) = 0;
  // 0xFF bytes: NaN in f32, f16 and bf16, with a payload that no arithmetic makes.
  virtual Status poison(void* data, std::int64_t bytes) = 0;
  virtual Result<std::uint64_t> checksum(const void* data, std::int64_t bytes) = 0;
  // Queues work after which nothing of a buffer used before is in the last-level cache, nor lines
  // that must be written back. Allocates at the first call only.
  virtual Status flush_cache(Flush method) = 0;
  // Holds back what is queued after it, for about so long.
  virtual Status delay(std::int64_t ns) = 0;
  // Reads (and writes where `to` is there) so many bytes, as fast as the device can: the floor that
  // a kernel is held against. Queued; `from` and `to` are aligned to 16 bytes.
  virtual Status stream_bytes(const void* from, void* to, std::int64_t bytes) = 0;
  // Work that does nothing: what a clock reads around it is the clock's own.
  virtual Status launch_nothing() = 0;
  // So many bytes of the last-level cache are kept for lines marked persisting; 0 takes that back
  // and frees those lines.
  virtual Status reserve_persisting_cache(std::int64_t bytes) = 0;
  // Around what is measured, so that a profiler started with it attaches to that alone.
  virtual void begin_measured(const std::string& name) = 0;
  virtual void end_measured() = 0;

  virtual Status synchronize() = 0;      // with stream()
  virtual Status synchronize_all() = 0;  // with whatever was put anywhere on the device
  // Not ok when the device is lost to this process (an illegal address): nothing more can be done.
  virtual Status health() = 0;
  virtual Stream stream() const = 0;

  virtual const DeviceInfo& info() const = 0;
  virtual std::int64_t cache_bytes() const = 0;           // last-level cache
  virtual std::int64_t rotation_limit_bytes() = 0;        // what all buffer sets together may take
  virtual std::string rotation_limit_reason() const = 0;  // "25 % of the memory that is free"
};

std::string uuid_of(const DeviceInfo& device);  // the GPU's UUID; the CPU's model

inline constexpr std::int64_t kAllocationAlignment = 256;

// kNoDevice when the device cannot be used in this build or on this machine.
Result<std::unique_ptr<Device>> make_device(const DeviceInfo& info);
// device_cuda.cpp, or device_absent.cpp where CUDA was not built in.
Result<std::unique_ptr<Device>> make_cuda_device(const DeviceInfo& info);

// Device memory that frees itself.
class Buffer {
 public:
  Buffer() = default;
  static Result<Buffer> allocate(Device& device, std::int64_t bytes);
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Device* device_ = nullptr;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace tilewright::measure
