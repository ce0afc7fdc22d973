// Kernels that measuring needs beside what it measures: bytes moved as fast as the card can, the
// cache flushed, time passed, nothing done.
#include <cuda/annotated_ptr>

#include <algorithm>

#include "measure/protocol/fill_cuda.h"

namespace tilewright::measure {
namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 8;  // in flight a thread: enough to cover the latency of memory
constexpr std::int64_t kLineBytes = 128;

// A block takes kThreads * kLoads neighbouring words at a time.
template <bool kWrite>
__global__ void stream_kernel(const uint4* from, uint4* to, std::int64_t words, unsigned* sink) {
  constexpr std::int64_t kStep = std::int64_t{kThreads} * kLoads;
  unsigned folded = 0;
  for (std::int64_t start = blockIdx.x * kStep; start < words; start += gridDim.x * kStep) {
    uint4 words_read[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const std::int64_t at = start + i * kThreads + threadIdx.x;
      if (at < words) words_read[i] = from[at];
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const std::int64_t at = start + i * kThreads + threadIdx.x;
      if (at >= words) continue;
      if (kWrite) {
        to[at] = words_read[i];
      } else {
        folded ^= words_read[i].x ^ words_read[i].y ^ words_read[i].z ^ words_read[i].w;
      }
    }
  }
  // Never true for what a flush or a fill leaves there, and not known to be false: the loads stay.
  if (!kWrite && folded == 0x9e3779b9u) *sink = folded;
}

__global__ void write_and_discard_kernel(char* data, std::int64_t lines) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; line < lines;
       line += stride) {
    auto* words = reinterpret_cast<uint4*>(data + line * kLineBytes);
#pragma unroll
    for (int i = 0; i < kLineBytes / 16; ++i) words[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    cuda::discard_memory(data + line * kLineBytes, kLineBytes);
  }
}

__global__ void delay_kernel(std::int64_t ns) {
  constexpr unsigned kNap_ns = 1000;
  for (std::int64_t left = ns; left > 0; left -= kNap_ns) __nanosleep(kNap_ns);
}

__global__ void empty_kernel() {}

int blocks_for(std::int64_t count, std::int64_t a_block) {
  constexpr std::int64_t kMost = 1184;  // fills any card several times over
  return static_cast<int>(std::clamp<std::int64_t>((count + a_block - 1) / a_block, 1, kMost));
}

}  // namespace

cudaError_t launch_write_and_discard(void* data, std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t lines = bytes / kLineBytes;
  write_and_discard_kernel<<<blocks_for(lines, kThreads), kThreads, 0, stream>>>(
      static_cast<char*>(data), lines);
  return cudaGetLastError();
}

cudaError_t launch_stream(const void* from, void* to, std::int64_t bytes, void* sink,
                          cudaStream_t stream) {
  const std::int64_t words = bytes / 16;
  const int blocks = blocks_for(words, std::int64_t{kThreads} * kLoads);
  const auto* source = static_cast<const uint4*>(from);
  auto* drain = static_cast<unsigned*>(sink);
  if (to == nullptr) {
    stream_kernel<false><<<blocks, kThreads, 0, stream>>>(source, nullptr, words, drain);
  } else {
    stream_kernel<true>
        <<<blocks, kThreads, 0, stream>>>(source, static_cast<uint4*>(to), words, drain);
  }
  return cudaGetLastError();
}

cudaError_t launch_delay(std::int64_t ns, cudaStream_t stream) {
  delay_kernel<<<1, 1, 0, stream>>>(ns);
  return cudaGetLastError();
}

cudaError_t launch_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

}  // namespace tilewright::measure
