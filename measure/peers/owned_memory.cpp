#include "measure/peers/owned_memory.h"

#include <fmt/format.h>

#include <cstdlib>

namespace tilewright::measure {

Result<OwnedMemory> allocate_workspace(const DeviceInfo& device, std::size_t bytes) {
  if (bytes == 0) return OwnedMemory(nullptr, std::free);
  if (device.backend == Backend::kCuda) return allocate_on_gpu(device, bytes);
  constexpr std::size_t kAlignment = 256;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  OwnedMemory memory(std::aligned_alloc(kAlignment, rounded), std::free);
  if (memory == nullptr) {
    return Status(StatusCode::kDeviceError,
                  fmt::format("no host memory left for a workspace of {} bytes", bytes));
  }
  return memory;
}

}  // namespace tilewright::measure
