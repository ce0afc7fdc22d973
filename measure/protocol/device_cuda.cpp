// An NVIDIA GPU as a measuring device, on a stream of its own.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include "measure/protocol/cuda_status.h"
#include "measure/protocol/device.h"
#include "measure/protocol/fill_cuda.h"

namespace tilewright::measure {
namespace {

#if __has_include(<nvtx3/nvToolsExt.h>)
std::uint64_t nvtx_begin(const std::string& name) {
  return nvtxRangeStartA(name.c_str());
}
void nvtx_end(std::uint64_t range) {
  nvtxRangeEnd(range);
}
#else  // a toolkit made of wheels need not have it; then a profiler sees no names
std::uint64_t nvtx_begin(const std::string&) {
  return 0;
}
void nvtx_end(std::uint64_t) {}
#endif

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(DeviceInfo info) : info_(std::move(info)) {}
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  Status open();
  Result<void*> allocate(std::int64_t bytes) override;
  void release(void* data) override { (void)cudaFree(data); }
  Status upload(void* to, const void* from, std::int64_t bytes) override;
  Status download(void* to, const void* from, std::int64_t bytes) override;
  Status copy(void* to, const void* from, std::int64_t bytes) override;
  Status fill(void* data, DType type, std::int64_t elements, FillSpec spec) override;
  Status poison(void* data, std::int64_t bytes) override;
  Result<std::uint64_t> checksum(const void* data, std::int64_t bytes) override;
  Status flush_cache(Flush method) override;
  Status delay(std::int64_t ns) override;
  Status stream_bytes(const void* from, void* to, std::int64_t bytes) override;
  Status launch_nothing() override;
  Status reserve_persisting_cache(std::int64_t bytes) override;
  void begin_measured(const std::string& name) override;
  void end_measured() override;
  Status synchronize() override;
  Status synchronize_all() override;
  Status health() override;
  Stream stream() const override { return {stream_}; }
  const DeviceInfo& info() const override { return info_; }
  std::int64_t cache_bytes() const override { return info_.gpu.l2_bytes; }
  std::int64_t rotation_limit_bytes() override;
  std::string rotation_limit_reason() const override {
    return "four fifths of the device memory that is free";
  }

 private:
  DeviceInfo info_;
  cudaStream_t stream_ = nullptr;
  Buffer sum_;    // one 64-bit word for checksum(), and what nobody reads of stream_bytes()
  Buffer flush_;  // made at the first flush
  std::uint64_t range_ = 0;
};

Status CudaDevice::open() {
  if (Status status = cuda_status(cudaSetDevice(info_.index), "use the GPU"); !status) {
    return {StatusCode::kNoDevice, status.message()};
  }
  if (Status status = cuda_status(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                                  "create a stream");
      !status) {
    return {StatusCode::kNoDevice, status.message()};
  }
  Result<Buffer> sum = Buffer::allocate(*this, sizeof(std::uint64_t));
  if (!sum) return sum.status();
  sum_ = std::move(*sum);
  return {};
}

CudaDevice::~CudaDevice() {
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
}

Result<void*> CudaDevice::allocate(std::int64_t bytes) {
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(bytes));
  if (Status status = cuda_status(error, fmt::format("allocate {} bytes of device memory", bytes));
      !status) {
    return status;
  }
  return data;
}

Status CudaDevice::upload(void* to, const void* from, std::int64_t bytes) {
  const cudaError_t error =
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_);
  if (Status status = cuda_status(error, "copy to the device"); !status) return status;
  return synchronize();
}

Status CudaDevice::download(void* to, const void* from, std::int64_t bytes) {
  const cudaError_t error =
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream_);
  if (Status status = cuda_status(error, "copy from the device"); !status) return status;
  return synchronize();
}

Status CudaDevice::copy(void* to, const void* from, std::int64_t bytes) {
  return cuda_status(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_),
      "copy on the device");
}

Status CudaDevice::fill(void* data, DType type, std::int64_t elements, FillSpec spec) {
  return cuda_status(launch_fill(data, type, elements, spec, stream_),
                     fmt::format("fill a buffer of {}", name_of(type)));
}

Status CudaDevice::poison(void* data, std::int64_t bytes) {
  return cuda_status(cudaMemsetAsync(data, 0xff, static_cast<std::size_t>(bytes), stream_),
                     "poison a buffer");
}

Result<std::uint64_t> CudaDevice::checksum(const void* data, std::int64_t bytes) {
  auto* sum = reinterpret_cast<std::uint64_t*>(sum_.data());
  cudaError_t error = cudaMemsetAsync(sum, 0, sizeof *sum, stream_);
  if (error == cudaSuccess) error = launch_checksum(data, bytes, sum, stream_);
  if (Status status = cuda_status(error, "sum up a buffer"); !status) return status;
  std::uint64_t value = 0;
  if (Status status = download(&value, sum, sizeof value); !status) return status;
  return value;
}

Status CudaDevice::flush_cache(Flush method) {
  const std::int64_t bytes = 2 * cache_bytes();
  if (flush_.data() == nullptr) {
    Result<Buffer> buffer = Buffer::allocate(*this, bytes);
    if (!buffer) return buffer.status();
    flush_ = std::move(*buffer);
    if (Status status = poison(flush_.data(), bytes); !status) return status;
  }
  if (method == Flush::kRead) return stream_bytes(flush_.data(), nullptr, bytes);
  // After a write alone the dirty lines would be written back in the timed call: they are dropped.
  return cuda_status(launch_write_and_discard(flush_.data(), bytes, stream_), "flush the L2 cache");
}

Status CudaDevice::stream_bytes(const void* from, void* to, std::int64_t bytes) {
  return cuda_status(launch_stream(from, to, bytes, sum_.data(), stream_), "read a buffer");
}

Status CudaDevice::delay(std::int64_t ns) {
  return cuda_status(launch_delay(ns, stream_), "hold the stream back");
}

Status CudaDevice::launch_nothing() {
  return cuda_status(launch_empty(stream_), "launch an empty kernel");
}

Status CudaDevice::reserve_persisting_cache(std::int64_t bytes) {
  cudaError_t error =
      cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(bytes));
  if (error == cudaSuccess && bytes == 0) error = cudaCtxResetPersistingL2Cache();
  return cuda_status(error, fmt::format("reserve {} bytes of the L2 cache", bytes));
}

void CudaDevice::begin_measured(const std::string& name) {
  (void)cudaProfilerStart();
  range_ = nvtx_begin(name);
}

void CudaDevice::end_measured() {
  nvtx_end(range_);
  (void)cudaProfilerStop();
}

Status CudaDevice::synchronize_all() {
  return cuda_status(cudaDeviceSynchronize(), "finish all work on the device");
}

Status CudaDevice::synchronize() {
  return cuda_status(cudaStreamSynchronize(stream_), "finish the work on the device");
}

Status CudaDevice::health() {
  (void)cudaGetLastError();  // a refused launch is not a lost device
  return cuda_status(cudaDeviceSynchronize(), "use the device any more");
}

std::int64_t CudaDevice::rotation_limit_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) return 0;
  return static_cast<std::int64_t>(free_bytes / 5 * 4);
}

}  // namespace

Result<std::unique_ptr<Device>> make_cuda_device(const DeviceInfo& info) {
  auto device = std::make_unique<CudaDevice>(info);
  if (Status status = device->open(); !status) return status;
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace tilewright::measure
