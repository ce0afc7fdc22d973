// Which device a command works on.
#pragma once

#include <string>

#include "tilewright/device.h"

namespace tilewright::measure::cli {

inline constexpr const char* kDeviceHelp =
    "cuda, cuda:INDEX, cpu or sim; without it the GPU if there is one, else the CPU";

// `words` is the value of --device, empty when it was not given; without a GPU the CPU is taken
// then and one line on stderr says so: "no GPU: <doing> on the CPU". No such device:
// Exit::kNoDevice.
DeviceInfo choose_device(const std::string& words, const std::string& doing);

}  // namespace tilewright::measure::cli
