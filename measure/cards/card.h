// The state of the card while it is measured: clocks, power, temperature, energy, throttling, and
// who else uses it. Read only: no clock and no limit is ever set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// One reading. What cannot be read is absent, never 0.
struct CardReading {
  std::int64_t at_ns = 0;  // set by who reads, on the run's own clock
  std::optional<int> sm_mhz, memory_mhz;
  std::optional<int> power_mw;          // instant
  std::optional<int> average_power_mw;  // over about 1 s, by the driver
  std::optional<int> temperature_c;
  std::optional<std::int64_t> energy_mj;       // since the driver was loaded
  std::optional<std::uint64_t> event_reasons;  // bits, see reason_names()
  // Time that the clock was held down since the driver was loaded, by cause.
  std::optional<std::int64_t> power_capped_ns, thermal_ns, power_brake_ns;
};

// Causes in `event_reasons` by name, lowest bit first: "power cap", "hardware thermal slowdown".
// Idle and "as its owner set it" are states and not throttling, and are left out.
std::vector<std::string> reason_names(std::uint64_t event_reasons);

// Whether the clock is held down by heat or by a fault of supply, which makes a reading worthless;
// a power cap is the card as it is delivered.
bool is_faulty(std::uint64_t event_reasons);

struct CardProcess {
  std::int64_t pid = 0;
  std::string name;                        // empty where it cannot be told
  std::optional<std::int64_t> used_bytes;  // of device memory
  bool operator==(const CardProcess& other) const { return pid == other.pid; }
};

// What uses the card at this moment, this process included where it has a context.
struct CardUse {
  std::vector<CardProcess> processes;      // with compute contexts
  std::optional<std::int64_t> used_bytes;  // of device memory, the driver's own included
  std::optional<int> utilisation_percent;  // over the driver's last sample period
};

class Card {
 public:
  virtual ~Card() = default;
  // Why nothing can be read, a sentence with a remedy; empty where something can.
  virtual std::string missing() const = 0;
  virtual CardReading read() = 0;
  virtual CardUse use() = 0;
  virtual std::optional<int> highest_sm_mhz() const = 0;
  virtual std::optional<int> highest_memory_mhz() const = 0;
  virtual std::optional<int> power_limit_mw() const = 0;
  virtual std::string driver_version() const = 0;  // "580.159.03"; empty where unknown
};

// NVML's view of the GPU with this UUID ("GPU-.."), by dlopen. Always a card: where NVML cannot be
// used it reads nothing and missing() says why.
std::unique_ptr<Card> make_nvml_card(const std::string& uuid);
// For devices that have no such state: missing() is `why`.
std::unique_ptr<Card> make_absent_card(std::string why);
// NVML for a GPU; absent for others.
std::unique_ptr<Card> make_card(const DeviceInfo& device);

}  // namespace tilewright::measure
