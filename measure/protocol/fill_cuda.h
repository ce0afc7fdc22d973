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

// streams.cu. Twice what the cache holds is written and dropped again.
cudaError_t launch_write_and_discard(void* data, std::int64_t bytes, cudaStream_t stream);
// Reads `bytes` of `from` and, where `to` is not null, writes them there. All aligned to 16 bytes; a
// rest of less than 16 bytes is left out. `sink` is 8 bytes that nobody reads.
cudaError_t launch_stream(const void* from, void* to, std::int64_t bytes, void* sink,
                          cudaStream_t stream);
cudaError_t launch_delay(std::int64_t ns, cudaStream_t stream);
cudaError_t launch_empty(cudaStream_t stream);

}  // namespace tilewright::measure
