#include "measure/protocol/device.h"

namespace tilewright::measure {

Result<std::unique_ptr<Device>> make_cuda_device(const DeviceInfo&) {
  return Status(StatusCode::kNoDevice,
                "device cuda cannot be measured: this build has no CUDA; build with a CUDA toolkit "
                "of 12.9 or newer");
}

}  // namespace tilewright::measure
