#include "measure/timers/timer.h"

#include <fmt/format.h>

#include "measure/timers/cupti_session.h"

namespace tilewright::measure {

Result<TimerFactory> timer_factory(std::string_view name, Device& device, int cupti_min) {
  const bool on_gpu = device.info().backend == Backend::kCuda;
  if (name == "wall") {
    return TimerFactory(
        [&device] { return Result<std::unique_ptr<Timer>>(make_wall_timer(device)); });
  }
  if (name == "events" && on_gpu) {
    return TimerFactory([&device] { return make_events_timer(device); });
  }
  if (name == "cupti" && on_gpu) {
    // Opened before any graph is captured, since only then are its nodes recorded.
    const Result<CuptiSession*> session = CuptiSession::open(cupti_min);
    if (!session) return session.status();
    return TimerFactory(
        [&device, session = *session] { return make_cupti_timer(device, *session); });
  }
  return Status::invalid(fmt::format("timer {} does not exist on device {}; {} accepted", name,
                                     name_of(device.info().backend),
                                     on_gpu ? "cupti, events and wall are" : "wall is"));
}

Status check_samples(const std::vector<std::int64_t>& samples_ns, std::size_t expected_count) {
  if (samples_ns.size() != expected_count) {
    return {StatusCode::kDeviceError, fmt::format("the timer gave {} samples where {} were taken",
                                                  samples_ns.size(), expected_count)};
  }
  for (const std::int64_t sample : samples_ns) {
    if (sample > 0) continue;
    return {StatusCode::kDeviceError,
            fmt::format("the timer read {} ns; a sample takes more than 0", sample)};
  }
  return {};
}

}  // namespace tilewright::measure
