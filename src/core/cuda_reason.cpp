#include "core/cuda_reason.h"

#include <fmt/format.h>

namespace tilewright {

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Status driver_too_old(CudaVersions versions) {
  // Within a major version an older driver runs newer toolkits, so the first of it is enough.
  const std::string needed = cuda_version_text(versions.runtime / 1000 * 1000);
  if (versions.driver == 0) {
    return no_cuda_device(
        fmt::format("no NVIDIA driver is installed; one for CUDA {} or newer is needed", needed));
  }
  return no_cuda_device(fmt::format(
      "the driver is for CUDA {}, older than this build's toolkit {}; a driver for CUDA "
      "{} or newer is needed",
      cuda_version_text(versions.driver), cuda_version_text(versions.runtime), needed));
}

Status no_cuda_device(std::string_view reason) {
  return {StatusCode::kNoDevice, fmt::format("no usable CUDA device: {}", reason)};
}

}  // namespace tilewright
