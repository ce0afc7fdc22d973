#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

#include "measure/peers/fastest_launch.h"

namespace tilewright::measure {
namespace {

constexpr int kRounds = 9;
// Long enough that the event's resolution is 1 part in 500, and that a graph's own start is shared
// by many launches of a small problem.
constexpr float kSampleMs = 0.3f;
constexpr int kMostLaunches = 50;

template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cudaError_t (*)(Handle)>;

Status device_error(cudaError_t error) {
  return {StatusCode::kDeviceError,
          fmt::format("timing candidates: {}", cudaGetErrorString(error))};
}

struct Candidate {
  std::size_t index = 0;
  Owned<cudaGraphExec_t> graph{nullptr, cudaGraphExecDestroy};
  std::vector<float> samples_ms;

  float median_ms() {
    const auto middle = samples_ms.begin() + samples_ms.size() / 2;
    std::nth_element(samples_ms.begin(), middle, samples_ms.end());
    return *middle;
  }
};

// A stream of its own, since the legacy default stream cannot be captured.
class Bench {
 public:
  cudaError_t open() {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;
    // Whatever filled the sample buffers is done before the first candidate reads them.
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    stream_.reset(stream);
    if (error == cudaSuccess) error = cudaEventCreate(&start);
    start_.reset(start);
    if (error == cudaSuccess) error = cudaEventCreate(&stop);
    stop_.reset(stop);
    return error;
  }

  Stream stream() const { return {.handle = stream_.get()}; }
  cudaError_t finish() { return cudaStreamSynchronize(stream_.get()); }

  template <class Work>
  cudaError_t time(Work work, float& ms) {
    cudaError_t error = cudaEventRecord(start_.get(), stream_.get());
    work(stream_.get());
    if (error == cudaSuccess) error = cudaEventRecord(stop_.get(), stream_.get());
    if (error == cudaSuccess) error = cudaEventSynchronize(stop_.get());
    if (error == cudaSuccess) error = cudaEventElapsedTime(&ms, start_.get(), stop_.get());
    return error;
  }

  // Null where the launches cannot be captured.
  Owned<cudaGraphExec_t> capture(const Launch& launch, int launches) {
    Owned<cudaGraphExec_t> exec(nullptr, cudaGraphExecDestroy);
    if (cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
      return exec;
    }
    bool launched = true;
    for (int i = 0; i < launches && launched; ++i) launched = launch(stream()).ok();
    cudaGraph_t raw = nullptr;
    const bool captured = cudaStreamEndCapture(stream_.get(), &raw) == cudaSuccess;
    const Owned<cudaGraph_t> graph(raw, cudaGraphDestroy);
    cudaGraphExec_t instance = nullptr;
    if (launched && captured && cudaGraphInstantiate(&instance, raw, 0) == cudaSuccess) {
      exec.reset(instance);
    }
    (void)cudaGetLastError();  // a failed capture must not be found by the next caller
    return exec;
  }

 private:
  Owned<cudaStream_t> stream_{nullptr, cudaStreamDestroy};
  Owned<cudaEvent_t> start_{nullptr, cudaEventDestroy}, stop_{nullptr, cudaEventDestroy};
};

int launches_for(float one_launch_ms) {
  const float wanted = kSampleMs / std::max(one_launch_ms, 1e-4f);
  return static_cast<int>(std::clamp(wanted, 1.0f, static_cast<float>(kMostLaunches)));
}

// Runs every candidate once, so that no module load is timed, and captures those that ran. All get
// the number of launches that suits the first one.
Status warm_and_capture(Bench& bench, const std::vector<Launch>& candidates,
                        std::vector<Candidate>& ready) {
  int launches = 0;
  Status refusal = Status::unsupported("no candidate to time");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (Status status = candidates[i](bench.stream()); !status) {
      refusal = status;
      continue;
    }
    if (const cudaError_t error = bench.finish(); error != cudaSuccess) return device_error(error);
    if (launches == 0) {
      float ms = 0;
      const cudaError_t error =
          bench.time([&](cudaStream_t) { (void)candidates[i](bench.stream()).ok(); }, ms);
      if (error != cudaSuccess) return device_error(error);
      launches = launches_for(ms);
    }
    Candidate candidate;
    candidate.index = i;
    candidate.graph = bench.capture(candidates[i], launches);
    if (candidate.graph != nullptr) {
      ready.push_back(std::move(candidate));
    } else {
      refusal = Status::unsupported("the launch cannot be captured in a graph");
    }
  }
  return ready.empty() ? refusal : Status{};
}

}  // namespace

Result<std::size_t> fastest_launch(const std::vector<Launch>& candidates) {
  Bench bench;
  if (const cudaError_t error = bench.open(); error != cudaSuccess) return device_error(error);
  std::vector<Candidate> ready;
  if (Status status = warm_and_capture(bench, candidates, ready); !status) return status;

  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      Candidate& candidate = ready[(i + round) % ready.size()];
      float ms = 0;
      cudaError_t launched = cudaSuccess;
      const cudaError_t timed = bench.time(
          [&](cudaStream_t stream) { launched = cudaGraphLaunch(candidate.graph.get(), stream); },
          ms);
      if (launched != cudaSuccess) return device_error(launched);
      if (timed != cudaSuccess) return device_error(timed);
      candidate.samples_ms.push_back(ms);
    }
  }
  std::size_t fastest = 0;
  float least_ms = std::numeric_limits<float>::infinity();
  for (Candidate& candidate : ready) {
    const float ms = candidate.median_ms();
    if (ms < least_ms) {
      least_ms = ms;
      fastest = candidate.index;
    }
  }
  return fastest;
}

}  // namespace tilewright::measure
