#include "measure/timers/timer.h"

namespace tilewright::measure {
namespace {

Status no_cuda(const char* timer) {
  return {
      StatusCode::kNoDevice,
      std::string("timer ") + timer +
          " cannot be used: this build has no CUDA; build with a CUDA toolkit of 12.9 or newer"};
}

}  // namespace

Result<std::unique_ptr<Timer>> make_events_timer(Device&) {
  return no_cuda("events");
}

Result<std::unique_ptr<Timer>> make_cupti_timer(Device&, CuptiSession&) {
  return no_cuda("cupti");
}

}  // namespace tilewright::measure
