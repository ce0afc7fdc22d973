// CUDA events around the replay of a graph that holds all launches of a sample. Replays are queued
// back to back, so that the launch rate is the device's, not the host's: only a sample taken alone
// (count = 1) holds the 5 to 7 us that the launch of a graph takes.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "measure/protocol/cuda_status.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

class EventsTimer final : public Timer {
 public:
  explicit EventsTimer(Device& device)
      : device_(device), stream_(static_cast<cudaStream_t>(device.stream().handle)) {}
  ~EventsTimer() override;
  EventsTimer(const EventsTimer&) = delete;
  EventsTimer& operator=(const EventsTimer&) = delete;

  Status prepare(LaunchAt launch, std::int64_t launches) override;
  bool continues() const override { return false; }  // a graph's pointers are fixed
  Result<std::vector<std::int64_t>> samples(int count) override;

 private:
  void drop_graph();
  Status capture(const LaunchAt& launch, std::int64_t launches, cudaGraph_t& graph);
  Status instantiate(cudaGraph_t graph, std::int64_t launches);
  Status need_events(std::size_t count);

  Device& device_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<cudaEvent_t> events_;
};

EventsTimer::~EventsTimer() {
  drop_graph();
  for (cudaEvent_t event : events_) (void)cudaEventDestroy(event);
}

void EventsTimer::drop_graph() {
  if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
  exec_ = nullptr;
}

Status EventsTimer::capture(const LaunchAt& launch, std::int64_t launches, cudaGraph_t& graph) {
  if (Status status = cuda_status(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                                  "capture launches");
      !status) {
    return status;
  }
  Status launched;
  for (std::int64_t i = 0; launched && i < launches; ++i) launched = launch(i);
  // Ended whatever happened: a stream left in capture takes no other work.
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  if (!launched) {
    (void)cudaGetLastError();
    return launched;
  }
  return cuda_status(ended, "end the capture of launches");
}

// A launch without a kernel does nothing that could be timed.
Result<std::int64_t> kernel_nodes(cudaGraph_t graph) {
  std::size_t count = 0;
  cudaError_t error = cudaGraphGetNodes(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> nodes(count);
  if (error == cudaSuccess && count > 0) error = cudaGraphGetNodes(graph, nodes.data(), &count);
  std::int64_t kernels = 0;
  for (std::size_t i = 0; error == cudaSuccess && i < nodes.size(); ++i) {
    cudaGraphNodeType type{};
    error = cudaGraphNodeGetType(nodes[i], &type);
    if (type == cudaGraphNodeTypeKernel) ++kernels;
  }
  if (Status status = cuda_status(error, "read a captured graph"); !status) return status;
  return kernels;
}

Status EventsTimer::instantiate(cudaGraph_t graph, std::int64_t launches) {
  Result<std::int64_t> kernels = kernel_nodes(graph);
  if (!kernels) return kernels.status();
  if (*kernels < launches) {
    return {StatusCode::kDeviceError,
            fmt::format("it launches nothing: {} launches put {} kernels on the stream", launches,
                        *kernels)};
  }
  cudaError_t error = cudaGraphInstantiate(&exec_, graph, 0);
  if (error == cudaSuccess) error = cudaGraphUpload(exec_, stream_);
  if (error == cudaSuccess) error = cudaGraphLaunch(exec_, stream_);
  if (Status status = cuda_status(error, "run a captured graph"); !status) return status;
  return device_.synchronize();
}

Status EventsTimer::prepare(LaunchAt launch, std::int64_t launches) {
  drop_graph();
  cudaGraph_t graph = nullptr;
  Status status = capture(launch, launches, graph);
  if (status) status = instantiate(graph, launches);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  return status;
}

Status EventsTimer::need_events(std::size_t count) {
  while (events_.size() < count) {
    cudaEvent_t event = nullptr;
    if (Status status = cuda_status(cudaEventCreate(&event), "create an event"); !status) {
      return status;
    }
    events_.push_back(event);
  }
  return {};
}

Result<std::vector<std::int64_t>> EventsTimer::samples(int count) {
  const auto wanted = static_cast<std::size_t>(count);
  if (Status status = need_events(wanted + 1); !status) return status;
  cudaError_t error = cudaEventRecord(events_[0], stream_);
  for (std::size_t i = 0; error == cudaSuccess && i < wanted; ++i) {
    error = cudaGraphLaunch(exec_, stream_);
    if (error == cudaSuccess) error = cudaEventRecord(events_[i + 1], stream_);
  }
  if (error == cudaSuccess) error = cudaEventSynchronize(events_[wanted]);
  if (Status status = cuda_status(error, "time a captured graph"); !status) return status;
  std::vector<std::int64_t> samples_ns;
  for (std::size_t i = 0; i < wanted; ++i) {
    float ms = 0;
    error = cudaEventElapsedTime(&ms, events_[i], events_[i + 1]);
    if (Status status = cuda_status(error, "read two events"); !status) return status;
    samples_ns.push_back(std::isfinite(ms) ? std::llround(static_cast<double>(ms) * 1e6) : 0);
  }
  return samples_ns;
}

}  // namespace

Result<std::unique_ptr<Timer>> make_events_timer(Device& device) {
  return std::unique_ptr<Timer>(std::make_unique<EventsTimer>(device));
}

}  // namespace tilewright::measure
