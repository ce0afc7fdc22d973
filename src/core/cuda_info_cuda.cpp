#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/cuda_reason.h"
#include "tilewright/device.h"

namespace tilewright {
namespace {

Status explain(cudaError_t error) {
  cudaGetLastError();  // the runtime keeps the error for the next caller unless it is taken
  if (error != cudaErrorInsufficientDriver) return no_cuda_device(cudaGetErrorString(error));
  CudaVersions versions;
  cudaDriverGetVersion(&versions.driver);  // 0 where no driver is installed
  cudaRuntimeGetVersion(&versions.runtime);
  return driver_too_old(versions);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// 0 where the driver does not know the attribute.
int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

}  // namespace

Result<DeviceInfo> cuda_device(int index) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    return explain(error);
  }
  if (count == 0) return no_cuda_device("the driver lists no GPU");
  if (index < 0 || index >= count) {
    return Status(StatusCode::kNoDevice,
                  fmt::format("no CUDA device {}: this machine has {}, and 0 to {} is accepted",
                              index, count, count - 1));
  }
  cudaDeviceProp properties{};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, index); error != cudaSuccess) {
    return explain(error);
  }

  DeviceInfo device = cpu_device();
  device.backend = Backend::kCuda;
  device.index = index;
  device.name = properties.name;
  GpuInfo& gpu = device.gpu;
  gpu.uuid = uuid_text(properties.uuid);
  gpu.compute_major = properties.major;
  gpu.compute_minor = properties.minor;
  gpu.sm_count = properties.multiProcessorCount;
  // Attributes, since CUDA 13 took the clocks out of the properties.
  gpu.sm_clock_khz = attribute(cudaDevAttrClockRate, index);
  gpu.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, index);
  gpu.memory_bus_bits = properties.memoryBusWidth;
  gpu.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  gpu.l2_bytes = properties.l2CacheSize;
  gpu.shared_per_block_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  gpu.shared_per_sm_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  cudaDriverGetVersion(&gpu.driver_version);
  cudaRuntimeGetVersion(&gpu.runtime_version);
  return device;
}

}  // namespace tilewright
