#include "measure/cli/device_choice.h"

#include <fmt/format.h>

#include <cstdio>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {
namespace {

DeviceInfo cuda_or_fail(int index) {
  Result<DeviceInfo> device = cuda_device(index);
  require(device.status());
  return *device;
}

}  // namespace

DeviceInfo choose_device(const std::string& words, const std::string& doing) {
  if (words.empty()) {
    if (Result<DeviceInfo> device = cuda_device()) {
      return *device;
    } else {
      fmt::print(stderr, "no GPU: {} on the CPU ({})\n", doing, device.status().message());
    }
    return cpu_device();
  }
  if (words == "cpu") return cpu_device();
  if (words == "cuda") return cuda_or_fail(0);
  constexpr std::string_view kIndexed = "cuda:";
  if (words.starts_with(kIndexed)) {
    const auto index = parse_integer("--device", words.substr(kIndexed.size()), {0, 1023});
    return cuda_or_fail(static_cast<int>(index));
  }
  if (words == "sim") {
    throw Failure{Exit::kNoDevice,
                  "--device: this build has no simulator; cuda and cpu are accepted"};
  }
  wrong_usage(
      fmt::format("--device: '{}' is not accepted; give cuda, cuda:INDEX, cpu or sim", words));
}

}  // namespace tilewright::measure::cli
