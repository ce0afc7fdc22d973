// A CUDA error as a Status.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "tilewright/status.h"

namespace tilewright::measure {

// `doing` completes the sentence "cannot ...". The error is taken off the runtime's list, so that a
// passing one (out of memory) is not found again by the next call.
inline Status cuda_status(cudaError_t error, std::string_view doing) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();
  return {StatusCode::kDeviceError, "cannot " + std::string(doing) + ": " +
                                        cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                                        ")"};
}

}  // namespace tilewright::measure
