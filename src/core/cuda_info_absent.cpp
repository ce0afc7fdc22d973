#include "core/cuda_reason.h"
#include "tilewright/device.h"

namespace tilewright {

Result<DeviceInfo> cuda_device(int) {
  return no_cuda_device(
      "this build has no CUDA (it was configured with "
      "TILEWRIGHT_CUDA=OFF); configure with TILEWRIGHT_CUDA=ON and a toolkit of 12.9 or "
      "newer to use a GPU");
}

}  // namespace tilewright
