#include "measure/cards/card.h"

#include <array>
#include <utility>

namespace tilewright::measure {
namespace {

struct Reason {
  std::uint64_t bit;
  const char* name;
  bool faulty;
};

// Bits as NVML defines them (nvmlClocksEventReason..). Left out: 1 (idle), 2 (as its owner set the
// clocks) and 0x100 (a display's setting).
constexpr std::array kReasons = {
    Reason{0x4, "power cap", false},
    Reason{0x8, "hardware slowdown", true},
    Reason{0x10, "sync boost", false},
    Reason{0x20, "software thermal slowdown", true},
    Reason{0x40, "hardware thermal slowdown", true},
    Reason{0x80, "power brake", true},
};

class AbsentCard final : public Card {
 public:
  explicit AbsentCard(std::string why) : why_(std::move(why)) {}
  std::string missing() const override { return why_; }
  CardReading read() override { return {}; }
  CardUse use() override { return {}; }
  std::optional<int> highest_sm_mhz() const override { return std::nullopt; }
  std::optional<int> highest_memory_mhz() const override { return std::nullopt; }
  std::optional<int> power_limit_mw() const override { return std::nullopt; }
  std::string driver_version() const override { return ""; }

 private:
  std::string why_;
};

}  // namespace

std::vector<std::string> reason_names(std::uint64_t event_reasons) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if (event_reasons & reason.bit) names.emplace_back(reason.name);
  }
  return names;
}

bool is_faulty(std::uint64_t event_reasons) {
  for (const Reason& reason : kReasons) {
    if (reason.faulty && (event_reasons & reason.bit)) return true;
  }
  return false;
}

std::unique_ptr<Card> make_absent_card(std::string why) {
  return std::make_unique<AbsentCard>(std::move(why));
}

std::unique_ptr<Card> make_card(const DeviceInfo& device) {
  if (device.backend == Backend::kCuda) return make_nvml_card(device.gpu.uuid);
  return make_absent_card("clocks, power and energy are read from a GPU only");
}

}  // namespace tilewright::measure
