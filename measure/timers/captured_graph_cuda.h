// The launches of a sample as one CUDA graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "measure/timers/timer.h"

namespace tilewright::measure {

class CapturedGraph {
 public:
  explicit CapturedGraph(Device& device)
      : device_(device), stream_(static_cast<cudaStream_t>(device.stream().handle)) {}
  ~CapturedGraph() { drop(); }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  // Captures, instantiates, uploads and runs it once. Fails where a launch fails, or puts no kernel
  // on the stream.
  Status prepare(const LaunchAt& launch, std::int64_t launches);
  cudaError_t replay() { return cudaGraphLaunch(exec_, stream_); }

  cudaStream_t stream() const { return stream_; }
  std::int64_t nodes() const { return nodes_; }  // kernels, memsets and copies
  // Whether a launch may begin before the one before it has ended (programmatic dependent launch).
  bool overlaps() const { return overlaps_; }

 private:
  void drop();
  Status capture(const LaunchAt& launch, std::int64_t launches, cudaGraph_t& graph);
  Status inspect(cudaGraph_t graph, std::int64_t launches);
  Status instantiate(cudaGraph_t graph);

  Device& device_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::int64_t nodes_ = 0;
  bool overlaps_ = false;
};

}  // namespace tilewright::measure
