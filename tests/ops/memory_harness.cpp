#include "tests/ops/memory_harness.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#ifdef TILEWRIGHT_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace tilewright::tests {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("test memory: " + what);
}

#ifdef TILEWRIGHT_HAS_CUDA
void require(cudaError_t error, std::string_view what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}
#endif

std::byte* map_pages(std::int64_t bytes) {
  void* const pages = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) fail("cannot map " + std::to_string(bytes) + " bytes");
  return static_cast<std::byte*>(pages);
}

}  // namespace

Memory::Memory(const DeviceInfo& device, std::int64_t bytes)
    : backend_(device.backend), bytes_(std::max<std::int64_t>(bytes, 1)) {
  if (backend_ == Backend::kCpu) {
    data_ = map_pages(bytes_);
    return;
  }
#ifdef TILEWRIGHT_HAS_CUDA
  require(cudaSetDevice(device.index), "cudaSetDevice");
  void* data = nullptr;
  require(cudaMalloc(&data, static_cast<std::size_t>(bytes_)), "cudaMalloc");
  data_ = static_cast<std::byte*>(data);
#else
  fail("no memory for the backend " + std::string(name_of(backend_)));
#endif
}

Memory::~Memory() {
  if (backend_ == Backend::kCpu) munmap(data_, static_cast<std::size_t>(bytes_));
#ifdef TILEWRIGHT_HAS_CUDA
  if (backend_ == Backend::kCuda) cudaFree(data_);
#endif
}

#ifdef TILEWRIGHT_HAS_CUDA
namespace {

// A copy to the device may return before the data has arrived, and a kernel on a stream of its own
// would not wait for it.
void settle() {
  require(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

}  // namespace
#endif

void Memory::write(std::int64_t offset, const void* from, std::int64_t count) {
  if (count == 0) return;
  if (backend_ == Backend::kCpu) std::memcpy(data_ + offset, from, static_cast<std::size_t>(count));
#ifdef TILEWRIGHT_HAS_CUDA
  if (backend_ == Backend::kCuda) {
    require(
        cudaMemcpy(data_ + offset, from, static_cast<std::size_t>(count), cudaMemcpyHostToDevice),
        "cudaMemcpy to the device");
    settle();
  }
#endif
}

void Memory::read(std::int64_t offset, void* to, std::int64_t count) const {
  if (count == 0) return;
  if (backend_ == Backend::kCpu) std::memcpy(to, data_ + offset, static_cast<std::size_t>(count));
#ifdef TILEWRIGHT_HAS_CUDA
  if (backend_ == Backend::kCuda) {
    require(cudaMemcpy(to, data_ + offset, static_cast<std::size_t>(count), cudaMemcpyDeviceToHost),
            "cudaMemcpy from the device");
  }
#endif
}

void Memory::repeat(std::int64_t block, std::int64_t total) {
  for (std::int64_t filled = block; filled < total;) {
    const auto count = static_cast<std::size_t>(std::min(block, total - filled));
    if (backend_ == Backend::kCpu) std::memcpy(data_ + filled, data_, count);
#ifdef TILEWRIGHT_HAS_CUDA
    if (backend_ == Backend::kCuda) {
      require(cudaMemcpy(data_ + filled, data_, count, cudaMemcpyDeviceToDevice),
              "cudaMemcpy on the device");
    }
#endif
    filled += static_cast<std::int64_t>(count);
  }
#ifdef TILEWRIGHT_HAS_CUDA
  if (backend_ == Backend::kCuda) settle();
#endif
}

TestStream::TestStream([[maybe_unused]] const DeviceInfo& device, [[maybe_unused]] bool own) {
#ifdef TILEWRIGHT_HAS_CUDA
  if (device.backend != Backend::kCuda || !own) return;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_.handle = stream;
#endif
}

TestStream::~TestStream() {
#ifdef TILEWRIGHT_HAS_CUDA
  if (stream_.handle != nullptr) cudaStreamDestroy(static_cast<cudaStream_t>(stream_.handle));
#endif
}

std::string device_fault([[maybe_unused]] const DeviceInfo& device) {
#ifdef TILEWRIGHT_HAS_CUDA
  if (device.backend == Backend::kCuda) {
    const cudaError_t waited = cudaDeviceSynchronize();
    const cudaError_t left = cudaGetLastError();
    const cudaError_t error = waited != cudaSuccess ? waited : left;
    if (error != cudaSuccess) {
      return std::string("the device reports ") + cudaGetErrorName(error) + ": " +
             cudaGetErrorString(error);
    }
  }
#endif
  return "";
}

std::int64_t free_bytes([[maybe_unused]] const DeviceInfo& device) {
#ifdef TILEWRIGHT_HAS_CUDA
  if (device.backend == Backend::kCuda) {
    std::size_t available = 0, total = 0;
    require(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return static_cast<std::int64_t>(available);
  }
#endif
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace tilewright::tests
