// Which device a command works on.
#pragma once

#include <string>

#include "tilewright/device.h"

namespace tilewright::measure::cli {

// Of a command that measures; the simulator has no time of its own.
inline constexpr const char* kTimedDeviceHelp =
    "cuda, cuda:INDEX or cpu; without it the GPU if there is one, else the CPU";
inline constexpr const char* kDeviceHelp =
    "cuda, cuda:INDEX, cpu, sim or sim:CARD; without it the GPU if there is one, else the CPU";

struct DeviceChoice {
  DeviceInfo device;
  // A line for stderr once the command line has been understood: "no GPU: <doing> on the CPU
  // (why)".
  std::string notice;
};

// `words` is the value of --device, empty when it was not given: then the CPU stands in for a GPU
// that is not there. No such device: Exit::kNoDevice.
DeviceChoice choose_device(const std::string& words, const std::string& doing);
// The same where the simulator (of an h200) stands in for a GPU that is not there.
DeviceChoice choose_simulated(const std::string& words, const std::string& doing);
void tell(const DeviceChoice& choice);  // prints the notice, if there is one

}  // namespace tilewright::measure::cli
