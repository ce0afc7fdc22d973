// A clock around launches. A timer holds one implementation's launches ready (on the GPU: a
// captured graph), so every implementation of a cell has a timer of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measure/protocol/device.h"
#include "measure/timers/sample_facts.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// Launch `index`, 0 and up; which buffers it uses follows from the index.
using LaunchAt = std::function<Status(std::int64_t index)>;

class Timer {
 public:
  virtual ~Timer() = default;
  // From now on a sample is `launches` launches. Whatever must happen once (capture, instantiation,
  // upload, a first run) has happened when this returns. Fails when a launch fails, or puts no work
  // on the device.
  virtual Status prepare(LaunchAt launch, std::int64_t launches) = 0;
  // Whether a sample's indices go on where the last sample's ended. If not they are always
  // 0 .. launches-1, and only a whole number of passes over the buffers uses all of them alike.
  virtual bool continues() const = 0;
  // `count` samples back to back, ns each. A reading is checked by who asked: see check_samples().
  virtual Result<std::vector<std::int64_t>> samples(int count) = 0;
  // Of the last samples().
  virtual SampleFacts facts() const { return {}; }
};

using TimerFactory = std::function<Result<std::unique_ptr<Timer>>()>;

// "cupti" or "events" (GPU), or "wall"; kInvalidArgument for a name that does not exist or does not
// fit the device, kDeviceError with a remedy where CUPTI, of version `cupti_min` or newer, cannot
// be used. Nothing falls back to another clock.
Result<TimerFactory> timer_factory(std::string_view name, Device& device, int cupti_min);

// What no clock reads around real work: no time, or time that ran backwards.
Status check_samples(const std::vector<std::int64_t>& samples_ns, std::size_t expected_count);

std::unique_ptr<Timer> make_wall_timer(Device& device);
// events_cuda.cpp and cupti_cuda.cpp, or gpu_timers_absent.cpp where CUDA was not built in.
Result<std::unique_ptr<Timer>> make_events_timer(Device& device);
class CuptiSession;
Result<std::unique_ptr<Timer>> make_cupti_timer(Device& device, CuptiSession& session);

}  // namespace tilewright::measure
