// Device code of measuring, called from device_cuda.cpp alone. Every call is asynchronous on
// `stream` and returns the launch error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "measure/protocol/device.h"
#include "tilewright/dtype.h"

namespace tilewright::measure {

// `type` is f32, f16 or bf16; cudaErrorInvalidValue for others.
cudaError_t launch_fill(void* data, DType type, std::int64_t elements, FillSpec spec,
                        cudaStream_t stream);

// Adds the checksum of `bytes` bytes to *sum, both on the device. `data` is aligned to 8 bytes or
// less (words are put together from bytes), and nothing past `bytes` is read.
cudaError_t launch_checksum(const void* data, std::int64_t bytes, std::uint64_t* sum,
                            cudaStream_t stream);

}  // namespace tilewright::measure
