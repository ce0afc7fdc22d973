#include "measure/protocol/device.h"

#include <algorithm>

#include "measure/protocol/device_cpu.h"

namespace tilewright::measure {

std::string uuid_of(const DeviceInfo& device) {
  return device.backend == Backend::kCpu ? device.cpu.model : device.gpu.uuid;
}

Result<std::unique_ptr<Device>> make_device(const DeviceInfo& info) {
  switch (info.backend) {
    case Backend::kCpu:
    case Backend::kSim:  // runs in host memory
      return std::unique_ptr<Device>(std::make_unique<CpuDevice>(info));
    case Backend::kCuda:
      return make_cuda_device(info);
  }
  return Status(StatusCode::kNoDevice, "no such backend");
}

Result<Buffer> Buffer::allocate(Device& device, std::int64_t bytes) {
  // Whole alignment units, so that a word-wise checksum never reads past the end.
  const std::int64_t units = (bytes + kAllocationAlignment - 1) / kAllocationAlignment;
  const std::int64_t rounded = std::max<std::int64_t>(units, 1) * kAllocationAlignment;
  Result<void*> data = device.allocate(rounded);
  if (!data) return data.status();
  Buffer buffer;
  buffer.device_ = &device;
  buffer.data_ = static_cast<std::byte*>(*data);
  buffer.bytes_ = rounded;
  return buffer;
}

Buffer::~Buffer() {
  if (data_ != nullptr) device_->release(data_);
}

}  // namespace tilewright::measure
