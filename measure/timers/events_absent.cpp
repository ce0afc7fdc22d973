#include "measure/timers/timer.h"

namespace tilewright::measure {

Result<std::unique_ptr<Timer>> make_events_timer(Device&) {
  return Status(StatusCode::kNoDevice,
                "timer events cannot be used: this build has no CUDA; build with a CUDA toolkit of "
                "12.9 or newer");
}

}  // namespace tilewright::measure
