// Why there is no usable CUDA device, in one sentence. Apart from the CUDA runtime so that every
// case can be tested on a machine without a GPU.
#pragma once

#include <string>
#include <string_view>

#include "tilewright/status.h"

namespace tilewright {

// As CUDA writes versions: 13000 is 13.0. driver is 0 where none is installed.
struct CudaVersions {
  int driver = 0, runtime = 0;
};

// "12.9" of 12090.
std::string cuda_version_text(int version);

// For a driver that the runtime calls insufficient.
Status driver_too_old(CudaVersions versions);

// For everything else, with the driver's own words.
Status no_cuda_device(std::string_view reason);

}  // namespace tilewright
