#include "measure/peers/owned_memory.h"

namespace tilewright::measure {

Result<OwnedMemory> allocate_on_gpu(const DeviceInfo&, std::size_t) {
  return Status(StatusCode::kNoDevice, "this build has no CUDA");
}

}  // namespace tilewright::measure
