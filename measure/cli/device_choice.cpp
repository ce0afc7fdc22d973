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

DeviceChoice choose_device(const std::string& words, const std::string& doing) {
  if (words.empty()) {
    const Result<DeviceInfo> gpu = cuda_device();
    if (gpu) return {*gpu, ""};
    return {cpu_device(), fmt::format("no GPU: {} on the CPU ({})", doing, gpu.status().message())};
  }
  if (words == "cpu") return {cpu_device(), ""};
  if (words == "cuda") return {cuda_or_fail(0), ""};
  constexpr std::string_view kIndexed = "cuda:";
  if (words.starts_with(kIndexed)) {
    const auto index = parse_integer("--device", words.substr(kIndexed.size()), {0, 1023});
    return {cuda_or_fail(static_cast<int>(index)), ""};
  }
  constexpr std::string_view kSimulated = "sim:";
  if (words == "sim" || words.starts_with(kSimulated)) {
    const std::string card = words == "sim" ? "h200" : words.substr(kSimulated.size());
    const Result<DeviceInfo> device = sim_device(card);
    if (!device) wrong_usage(fmt::format("--device: {}", device.status().message()));
    return {*device, ""};
  }
  wrong_usage(fmt::format(
      "--device: '{}' is not accepted; give cuda, cuda:INDEX, cpu, sim or sim:CARD", words));
}

DeviceChoice choose_simulated(const std::string& words, const std::string& doing) {
  if (!words.empty()) return choose_device(words, doing);
  const Result<DeviceInfo> gpu = cuda_device();
  if (gpu) return {*gpu, ""};
  return {*sim_device(),
          fmt::format("no GPU: {} of the simulator alone ({})", doing, gpu.status().message())};
}

void tell(const DeviceChoice& choice) {
  if (!choice.notice.empty()) fmt::print(stderr, "{}\n", choice.notice);
}

}  // namespace tilewright::measure::cli
