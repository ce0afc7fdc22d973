// Launching a kernel on a card.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "hw/attributes.h"
#include "hw/launch_shape.h"
#include "tilewright/status.h"

namespace tilewright::hw::inline TW_TARGET {

inline Status status_of_launch(cudaError_t error, const char* name) {
  if (error == cudaSuccess) return {};
  if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice) {
    return {StatusCode::kNoDevice, std::string("no usable CUDA device: ") +
                                       cudaGetErrorString(error) +
                                       "; cuda_device() tells which driver is needed"};
  }
  return {StatusCode::kDeviceError,
          std::string("launching ") + name + ": " + cudaGetErrorString(error)};
}

template <class Params>
Status launch(void (*kernel)(Params), const Params& params, const LaunchShape& shape,
              const LaunchContext& context) {
  const auto* function = reinterpret_cast<const void*>(kernel);
  constexpr int kWithoutAsking = 48 * 1024;  // more must be opted in to
  if (shape.shared_bytes > kWithoutAsking) {
    const cudaError_t error = cudaFuncSetAttribute(
        function, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes);
    if (error != cudaSuccess) return status_of_launch(error, context.name);
  }
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = static_cast<cudaStream_t>(context.stream.handle);
  config.attrs = &cluster;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  void* arguments[] = {const_cast<Params*>(&params)};
  return status_of_launch(cudaLaunchKernelExC(&config, function, arguments), context.name);
}

}  // namespace tilewright::hw::inline TW_TARGET
