#include "measure/cli/sim_schedules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {
namespace {

constexpr SimCopies kAllCopies[] = {SimCopies::kEarly, SimCopies::kLate, SimCopies::kRandom};

}  // namespace

void SimScheduleOptions::add(CLI::App& command) {
  command.add_option("--sim-seeds", seeds_, "in the simulator: how many orders of threads (2)")
      ->type_name("N")
      ->check(refuse_empty);
  command.add_option("--sim-seed", seed_, "in the simulator: this order alone")
      ->type_name("SEED")
      ->check(refuse_empty);
  command
      .add_option("--sim-copies", copies_,
                  "in the simulator: copies land early, late, random or all of these (all)")
      ->type_name("WHEN")
      ->check(refuse_empty);
  command.add_flag("--force", force_, "in the simulator: run what takes longer than a minute");
}

std::vector<std::uint64_t> SimScheduleOptions::seeds() const {
  if (!seed_.empty() && !seeds_.empty()) {
    wrong_usage("--sim-seed and --sim-seeds say two things; give one of them");
  }
  if (!seed_.empty()) {
    return {static_cast<std::uint64_t>(parse_integer("--sim-seed", seed_, {}))};
  }
  constexpr std::int64_t kMost = 10000;
  const std::int64_t count = seeds_.empty() ? 2 : parse_integer("--sim-seeds", seeds_, {1, kMost});
  std::vector<std::uint64_t> seeds;
  for (std::int64_t i = 1; i <= count; ++i) seeds.push_back(static_cast<std::uint64_t>(i));
  return seeds;
}

std::vector<SimCopies> SimScheduleOptions::copies() const {
  if (copies_.empty() || copies_ == "all") return {std::begin(kAllCopies), std::end(kAllCopies)};
  for (const SimCopies each : kAllCopies) {
    if (copies_ == name_of(each)) return {each};
  }
  wrong_usage(
      fmt::format("--sim-copies: '{}' is not accepted; give early, late, random or all", copies_));
}

std::vector<DeviceInfo> SimScheduleOptions::devices(const DeviceInfo& device) const {
  if (device.backend != Backend::kSim) {
    if (!seeds_.empty() || !seed_.empty() || !copies_.empty() || force_) {
      wrong_usage(fmt::format(
          "--sim-seeds, --sim-seed, --sim-copies and --force are for --device sim; this is {}",
          device.name));
    }
    return {device};
  }
  std::vector<DeviceInfo> all;
  for (const std::uint64_t seed : seeds()) {
    for (const SimCopies copies : this->copies()) {
      all.push_back(device);
      all.back().sim.seed = seed;
      all.back().sim.copies = copies;
      all.back().sim.force = force_;
    }
  }
  return all;
}

std::string SimScheduleOptions::describe() const {
  std::vector<std::string_view> copies;
  for (const SimCopies each : this->copies()) copies.push_back(name_of(each));
  const std::vector<std::uint64_t> seeds = this->seeds();
  const std::string which = seeds.size() == 1 ? fmt::format("seed {}", seeds.front())
                                              : fmt::format("seeds 1 to {}", seeds.size());
  return fmt::format(
      "Simulated, not run on a card: {}, copies {}; each schedule passed or the first "
      "that failed is shown.",
      which, fmt::join(copies, ", "));
}

}  // namespace tilewright::measure::cli
