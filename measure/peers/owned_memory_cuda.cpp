#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "measure/peers/owned_memory.h"

namespace tilewright::measure {

Result<OwnedMemory> allocate_on_gpu(const DeviceInfo& device, std::size_t bytes) {
  void* data = nullptr;
  cudaError_t error = cudaSetDevice(device.index);
  if (error == cudaSuccess) error = cudaMalloc(&data, bytes);
  if (error != cudaSuccess) {
    return Status(StatusCode::kDeviceError,
                  fmt::format("a workspace of {} bytes on GPU {}: {}", bytes, device.index,
                              cudaGetErrorString(error)));
  }
  return OwnedMemory(data, [](void* memory) { (void)cudaFree(memory); });
}

}  // namespace tilewright::measure
