// CUDA events around the replay of a graph that holds all launches of a sample. Replays are queued
// back to back, so that the launch rate is the device's, not the host's: only a sample taken alone
// (count = 1) holds the 5 to 7 us that the launch of a graph takes.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "measure/protocol/cuda_status.h"
#include "measure/timers/captured_graph_cuda.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

class EventsTimer final : public Timer {
 public:
  explicit EventsTimer(Device& device) : graph_(device) {}
  ~EventsTimer() override;
  EventsTimer(const EventsTimer&) = delete;
  EventsTimer& operator=(const EventsTimer&) = delete;

  Status prepare(LaunchAt launch, std::int64_t launches) override {
    return graph_.prepare(launch, launches);
  }
  bool continues() const override { return false; }  // a graph's pointers are fixed
  Result<std::vector<std::int64_t>> samples(int count) override;
  SampleFacts facts() const override { return facts_; }

 private:
  Status need_events(std::size_t count);

  CapturedGraph graph_;
  std::vector<cudaEvent_t> events_;
  SampleFacts facts_;
};

EventsTimer::~EventsTimer() {
  for (cudaEvent_t event : events_) (void)cudaEventDestroy(event);
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
  const auto start = std::chrono::steady_clock::now();
  cudaError_t error = cudaEventRecord(events_[0], graph_.stream());
  for (std::size_t i = 0; error == cudaSuccess && i < wanted; ++i) {
    error = graph_.replay();
    if (error == cudaSuccess) error = cudaEventRecord(events_[i + 1], graph_.stream());
  }
  const auto enqueued = std::chrono::steady_clock::now() - start;
  facts_.host_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(enqueued).count() / count;
  facts_.overlaps = graph_.overlaps();
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
