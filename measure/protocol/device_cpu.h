// Host memory as a measuring device.
#pragma once

#include <utility>

#include "measure/protocol/device.h"

namespace tilewright::measure {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(DeviceInfo info) : info_(std::move(info)) {}

  Result<void*> allocate(std::int64_t bytes) override;
  void release(void* data) override;
  Status upload(void* to, const void* from, std::int64_t bytes) override;
  Status download(void* to, const void* from, std::int64_t bytes) override;
  Status copy(void* to, const void* from, std::int64_t bytes) override;
  Status fill(void* data, DType type, std::int64_t elements, FillSpec spec) override;
  Status poison(void* data, std::int64_t bytes) override;
  Result<std::uint64_t> checksum(const void* data, std::int64_t bytes) override;
  Status flush_cache(Flush method) override;
  Status delay(std::int64_t ns) override;
  Status stream_bytes(const void* from, void* to, std::int64_t bytes) override;
  Status launch_nothing() override { return {}; }
  Status reserve_persisting_cache(std::int64_t) override { return {}; }
  void begin_measured(const std::string&) override {}
  void end_measured() override {}
  Status synchronize() override { return {}; }
  Status synchronize_all() override;
  Status health() override { return {}; }
  Stream stream() const override { return {}; }
  const DeviceInfo& info() const override { return info_; }
  std::int64_t cache_bytes() const override;
  std::int64_t rotation_limit_bytes() override;
  std::string rotation_limit_reason() const override;

 private:
  DeviceInfo info_;
  Buffer flush_;  // made at the first flush
  std::uint64_t read_sum_ = 0;
};

}  // namespace tilewright::measure
