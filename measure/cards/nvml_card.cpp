#include "measure/cards/nvml_card.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "measure/peers/dynamic_library.h"

namespace tilewright::measure {
namespace {

// Field ids and kinds as NVML numbers them; the power of nvmlDeviceGetPowerUsage is an average over
// 1 s on Hopper, so the fields are asked instead.
enum : std::uint32_t {
  kFieldPowerCapped = 74,  // ns
  kFieldEnergy = 83,       // mJ
  kFieldPowerAverage = 185,
  kFieldPowerInstant = 186,
  kFieldSoftwareThermal = 269,  // ns
  kFieldHardwareThermal = 270,
  kFieldPowerBrake = 271,
};
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0};
constexpr int kInsufficientSize = 7;

std::optional<std::int64_t> whole_number(const NvmlFieldValue& field) {
  if (field.result != 0) return std::nullopt;
  switch (field.type) {
    case 0:
      return static_cast<std::int64_t>(std::bit_cast<double>(field.value));
    case 1:
      return static_cast<std::int64_t>(static_cast<std::uint32_t>(field.value));
    case 2:
    case 3:
    case 4:
      if (field.value == kNotAvailable) return std::nullopt;
      return static_cast<std::int64_t>(field.value);
    case 5:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value));
    case 6:
      return static_cast<std::uint16_t>(field.value);
    default:
      return std::nullopt;
  }
}

// Two causes of one kind; absent where neither can be read.
std::optional<std::int64_t> sum_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a && !b) return std::nullopt;
  return a.value_or(0) + b.value_or(0);
}

class NvmlCard final : public Card {
 public:
  NvmlCard(const NvmlApi& api, const std::string& uuid, std::string missing)
      : api_(api), missing_(std::move(missing)) {
    if (missing_.empty()) open(uuid);
  }

  std::string missing() const override { return missing_; }

  // NVML's functions may be called by several threads at once, and nothing here is kept between
  // them.
  CardReading read() override {
    CardReading reading;
    if (!missing_.empty()) return reading;
    reading.sm_mhz = number(api_.clock, kSmClock);
    reading.memory_mhz = number(api_.clock, kMemoryClock);
    reading.temperature_c = number(api_.temperature, 0);
    unsigned long long bits = 0;
    if (api_.event_reasons && api_.event_reasons(handle_, &bits) == 0) {
      reading.event_reasons = bits;
    }
    std::array<NvmlFieldValue, 7> fields;
    constexpr std::array kIds = {kFieldPowerInstant, kFieldPowerAverage,    kFieldEnergy,
                                 kFieldPowerCapped,  kFieldSoftwareThermal, kFieldHardwareThermal,
                                 kFieldPowerBrake};
    for (std::size_t i = 0; i < kIds.size(); ++i) fields[i].field = kIds[i];
    if (!api_.field_values ||
        api_.field_values(handle_, static_cast<int>(fields.size()), fields.data()) != 0) {
      return reading;
    }
    const auto small = [](std::optional<std::int64_t> value) {
      return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
    };
    reading.power_mw = small(whole_number(fields[0]));
    reading.average_power_mw = small(whole_number(fields[1]));
    reading.energy_mj = whole_number(fields[2]);
    reading.power_capped_ns = whole_number(fields[3]);
    reading.thermal_ns = sum_of(whole_number(fields[4]), whole_number(fields[5]));
    reading.power_brake_ns = whole_number(fields[6]);
    return reading;
  }

  CardUse use() override {
    CardUse use;
    if (!missing_.empty()) return use;
    use.processes = processes();
    NvmlMemory memory;
    if (api_.memory && api_.memory(handle_, &memory) == 0) {
      use.used_bytes = static_cast<std::int64_t>(memory.used);
    }
    NvmlUtilisation utilisation;
    if (api_.utilisation && api_.utilisation(handle_, &utilisation) == 0) {
      use.utilisation_percent = static_cast<int>(utilisation.gpu);
    }
    return use;
  }

  std::optional<int> highest_sm_mhz() const override {
    return missing_.empty() ? number(api_.highest_clock, kSmClock) : std::nullopt;
  }
  std::optional<int> highest_memory_mhz() const override {
    return missing_.empty() ? number(api_.highest_clock, kMemoryClock) : std::nullopt;
  }
  std::optional<int> power_limit_mw() const override {
    std::uint32_t mw = 0;
    if (!missing_.empty() || !api_.power_limit || api_.power_limit(handle_, &mw) != 0) {
      return std::nullopt;
    }
    return static_cast<int>(mw);
  }
  std::string driver_version() const override {
    char text[96] = {};
    if (!missing_.empty() || !api_.driver_version || api_.driver_version(text, sizeof text) != 0) {
      return "";
    }
    return text;
  }

 private:
  void open(const std::string& uuid) {
    const auto check = [&](int result, const char* call) {
      if (result == 0) return true;
      missing_ = fmt::format(
          "{} answered \"{}\", so clocks, power and energy are not recorded; nvidia-smi tells "
          "whether the driver is at fault",
          call, api_.error_string ? api_.error_string(result) : std::to_string(result));
      return false;
    };
    if (check(api_.init ? api_.init() : -1, "nvmlInit_v2")) {
      check(api_.handle_by_uuid ? api_.handle_by_uuid(uuid.c_str(), &handle_) : -1,
            "nvmlDeviceGetHandleByUUID");
    }
  }

  std::optional<int> number(int (*get)(void*, int, std::uint32_t*), int kind) const {
    std::uint32_t value = 0;
    if (get == nullptr || get(handle_, kind, &value) != 0) return std::nullopt;
    return static_cast<int>(value);
  }

  std::vector<CardProcess> processes() const {
    std::vector<CardProcess> found;
    if (api_.compute_processes == nullptr) return found;
    std::vector<NvmlProcess> raw(64);
    auto count = static_cast<std::uint32_t>(raw.size());
    int result = api_.compute_processes(handle_, &count, raw.data());
    if (result == kInsufficientSize) {
      raw.resize(count + 16);  // more may have come since
      count = static_cast<std::uint32_t>(raw.size());
      result = api_.compute_processes(handle_, &count, raw.data());
    }
    if (result != 0) return found;
    for (std::uint32_t i = 0; i < count && i < raw.size(); ++i) {
      CardProcess& process = found.emplace_back();
      process.pid = raw[i].pid;
      if (raw[i].used_bytes != kNotAvailable) {
        process.used_bytes = static_cast<std::int64_t>(raw[i].used_bytes);
      }
      char name[256] = {};
      if (api_.process_name && api_.process_name(raw[i].pid, name, sizeof name) == 0) {
        process.name = name;
      }
    }
    return found;
  }

  NvmlApi api_;
  std::string missing_;
  void* handle_ = nullptr;
};

NvmlApi api_of(DynamicLibrary& library) {
  NvmlApi api;
  const auto get = [&](auto& function, const char* name) {
    function =
        library.find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
  };
  get(api.init, "nvmlInit_v2");
  get(api.error_string, "nvmlErrorString");
  get(api.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  get(api.clock, "nvmlDeviceGetClockInfo");
  get(api.highest_clock, "nvmlDeviceGetMaxClockInfo");
  get(api.temperature, "nvmlDeviceGetTemperature");
  get(api.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (api.event_reasons == nullptr) {  // its name before driver 535
    get(api.event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  get(api.field_values, "nvmlDeviceGetFieldValues");
  get(api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  get(api.process_name, "nvmlSystemGetProcessName");
  get(api.memory, "nvmlDeviceGetMemoryInfo");
  get(api.utilisation, "nvmlDeviceGetUtilizationRates");
  get(api.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  get(api.driver_version, "nvmlSystemGetDriverVersion");
  return api;
}

}  // namespace

std::unique_ptr<Card> make_nvml_card_with(const NvmlApi& api, const std::string& uuid,
                                          std::string missing) {
  return std::make_unique<NvmlCard>(api, uuid, std::move(missing));
}

std::unique_ptr<Card> make_nvml_card(const std::string& uuid) {
  DynamicLibrary library({.candidates = {"libnvidia-ml.so.1"},
                          .variable = "TILEWRIGHT_NVML",
                          .remedy = "install the driver's NVML (libnvidia-ml1, nvidia-utils)"});
  if (!library.missing().empty()) {
    return make_nvml_card_with({}, uuid,
                               "clocks, power and energy are not recorded: " + library.missing());
  }
  return make_nvml_card_with(api_of(library), uuid, "");
}

}  // namespace tilewright::measure
