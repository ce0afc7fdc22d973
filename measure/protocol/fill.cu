// Fill and checksum on the card: the same values as the host's, from the same functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "measure/protocol/fill_cuda.h"

namespace tilewright::measure {
namespace {

constexpr int kThreads = 256;

template <class T>
__device__ T rounded(float value);
template <>
__device__ float rounded<float>(float value) {
  return value;
}
template <>
__device__ __half rounded<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __nv_bfloat16 rounded<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t elements, FillSpec spec) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < elements; i += stride) {
    const float value = fill_value(spec.fill, spec.seed, static_cast<std::uint64_t>(i));
    data[i] = rounded<T>(spec.negated ? -value : value);
  }
}

__device__ std::uint64_t word_at(const unsigned char* data, std::int64_t index,
                                 std::int64_t bytes) {
  const unsigned char* first = data + 8 * index;
  if (8 * index + 8 <= bytes && reinterpret_cast<std::uintptr_t>(first) % 8 == 0) {
    return *reinterpret_cast<const std::uint64_t*>(first);
  }
  std::uint64_t word = 0;
  for (int i = 0; i < 8 && 8 * index + i < bytes; ++i) {
    word |= static_cast<std::uint64_t>(first[i]) << (8 * i);
  }
  return word;
}

__global__ void checksum_kernel(const unsigned char* data, std::int64_t bytes, std::uint64_t* sum) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::uint64_t mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       8 * i < bytes; i += stride) {
    mine += checksum_term(static_cast<std::uint64_t>(i), word_at(data, i, bytes));
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(~0u, mine, lanes);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(mine));
  }
}

int blocks_for(std::int64_t count) {
  constexpr std::int64_t kMost = 4096;  // enough to fill any card; the loops stride over the rest
  return static_cast<int>(std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, kMost));
}

template <class T>
cudaError_t fill_as(void* data, std::int64_t elements, FillSpec spec, cudaStream_t stream) {
  fill_kernel<T>
      <<<blocks_for(elements), kThreads, 0, stream>>>(static_cast<T*>(data), elements, spec);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_fill(void* data, DType type, std::int64_t elements, FillSpec spec,
                        cudaStream_t stream) {
  switch (type) {
    case DType::kF32:
      return fill_as<float>(data, elements, spec, stream);
    case DType::kF16:
      return fill_as<__half>(data, elements, spec, stream);
    case DType::kBF16:
      return fill_as<__nv_bfloat16>(data, elements, spec, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t launch_checksum(const void* data, std::int64_t bytes, std::uint64_t* sum,
                            cudaStream_t stream) {
  checksum_kernel<<<blocks_for((bytes + 7) / 8), kThreads, 0, stream>>>(
      static_cast<const unsigned char*>(data), bytes, sum);
  return cudaGetLastError();
}

}  // namespace tilewright::measure
