// The time that the device itself stamped on the kernels, memsets and copies of a replayed graph:
// from the first start to the last end, so that neither launch nor host is in it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "measure/protocol/cuda_status.h"
#include "measure/timers/captured_graph_cuda.h"
#include "measure/timers/cupti_session.h"
#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

class CuptiTimer final : public Timer {
 public:
  CuptiTimer(Device& device, CuptiSession& session)
      : device_(device), session_(session), graph_(device) {}

  Status prepare(LaunchAt launch, std::int64_t launches) override {
    return graph_.prepare(launch, launches);
  }
  bool continues() const override { return false; }  // a graph's pointers are fixed
  Result<std::vector<std::int64_t>> samples(int count) override;
  SampleFacts facts() const override { return facts_; }

 private:
  Device& device_;
  CuptiSession& session_;
  CapturedGraph graph_;
  SampleFacts facts_;
};

Result<std::vector<std::int64_t>> CuptiTimer::samples(int count) {
  Status status = device_.synchronize();
  if (status) status = session_.begin();
  if (!status) return status;
  const auto start = std::chrono::steady_clock::now();
  cudaError_t error = cudaSuccess;
  for (int i = 0; error == cudaSuccess && i < count; ++i) error = graph_.replay();
  const auto enqueued = std::chrono::steady_clock::now() - start;
  status = cuda_status(error, "replay a captured graph");
  if (status) status = device_.synchronize();
  if (!status) return status;
  Result<CuptiSession::Taken> taken = session_.take();
  if (!taken) return taken.status();
  Result<ReplaySpans> spans =
      replay_spans(std::move(taken->records), count, graph_.nodes(), taken->lost);
  if (!spans) return spans.status();
  std::vector<std::int64_t> gaps = spans->gaps_ns;
  std::nth_element(gaps.begin(), gaps.begin() + gaps.size() / 2, gaps.end());
  facts_ = {
      .gap_ns = gaps[gaps.size() / 2],
      .host_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(enqueued).count() / count,
      .lost = taken->lost,
      .overlaps = graph_.overlaps(),
      .kernels = std::move(spans->kernels)};
  return std::move(spans->spans_ns);
}

}  // namespace

Result<std::unique_ptr<Timer>> make_cupti_timer(Device& device, CuptiSession& session) {
  return std::unique_ptr<Timer>(std::make_unique<CuptiTimer>(device, session));
}

}  // namespace tilewright::measure
