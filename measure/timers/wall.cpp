// The host's monotonic clock: what a caller waits for. The only clock on the CPU; on the GPU it
// holds launch and synchronisation too.
#include <chrono>
#include <utility>

#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

class WallTimer final : public Timer {
 public:
  explicit WallTimer(Device& device) : device_(device) {}

  Status prepare(LaunchAt launch, std::int64_t launches) override {
    launch_ = std::move(launch);
    launches_ = launches;
    next_ = 0;
    return run();
  }

  bool continues() const override { return true; }

  Result<std::vector<std::int64_t>> samples(int count) override {
    using Clock = std::chrono::steady_clock;
    std::vector<std::int64_t> samples_ns;
    samples_ns.reserve(static_cast<std::size_t>(count));
    if (Status status = device_.synchronize(); !status) return status;
    for (int i = 0; i < count; ++i) {
      const Clock::time_point start = Clock::now();
      if (Status status = run(); !status) return status;
      samples_ns.push_back(
          std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
    }
    return samples_ns;
  }

 private:
  Status run() {
    for (std::int64_t i = 0; i < launches_; ++i) {
      if (Status status = launch_(next_++); !status) return status;
    }
    return device_.synchronize();
  }

  Device& device_;
  LaunchAt launch_;
  std::int64_t launches_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<Timer> make_wall_timer(Device& device) {
  return std::make_unique<WallTimer>(device);
}

}  // namespace tilewright::measure
