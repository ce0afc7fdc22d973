#include "measure/cli/protocol_options.h"

#include <fmt/format.h>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

void take(const char* name, const std::optional<std::string>& word, Bounds bounds, int& out) {
  if (word) out = static_cast<int>(parse_integer(name, *word, bounds));
}

}  // namespace

void ProtocolOptions::add(CLI::App& command) {
  const Protocol standard;
  const auto option = [&](const char* name, Word& word, const char* type, std::string help) {
    command.add_option(name, word, std::move(help))->type_name(type)->group("Protocol");
  };
  option("--regime", regime_, "isolated|sustained",
         "how long one call takes, or what rate the device holds (sustained)");
  option("--timer", timer_, "events|wall", "the clock (events on the GPU, wall on the CPU)");
  option("--rounds", rounds_, "N", fmt::format("rounds a cell ({})", standard.rounds));
  option("--samples", samples_, "N",
         fmt::format("samples a round ({})", standard.samples_per_round));
  option("--warmup-ms", warmup_, "MS",
         fmt::format("before each later cell ({})", standard.warmup_ms));
  option("--first-warmup-ms", first_warmup_, "MS",
         fmt::format("before the first cell ({})", standard.first_warmup_ms));
  option("--sample-us", sample_us_, "US",
         fmt::format("how long a sample lasts, about ({})", standard.sample_target_us));
  option("--rotation", rotation_, "X",
         fmt::format("buffers rotate over X last-level caches ({})", standard.rotation_factor));
  option("--seed", seed_, "N", fmt::format("of the operands' fill ({})", standard.seed));
}

Protocol ProtocolOptions::protocol() const {
  Protocol protocol;
  if (regime_) {
    if (*regime_ != "isolated" && *regime_ != "sustained") {
      wrong_usage(
          fmt::format("--regime: '{}' is not accepted; give isolated or sustained", *regime_));
    }
    protocol.regime = *regime_ == "isolated" ? Regime::kIsolated : Regime::kSustained;
  }
  if (timer_) {
    if (*timer_ != "events" && *timer_ != "wall") {
      wrong_usage(fmt::format("--timer: '{}' is not accepted; give events or wall", *timer_));
    }
    protocol.timer = *timer_;
  }
  take("--rounds", rounds_, {1, 1000}, protocol.rounds);
  take("--samples", samples_, {1, 10'000}, protocol.samples_per_round);
  take("--warmup-ms", warmup_, {0, kHourMs}, protocol.warmup_ms);
  take("--first-warmup-ms", first_warmup_, {0, kHourMs}, protocol.first_warmup_ms);
  take("--sample-us", sample_us_, {1, kHourMs * 1000 / 4}, protocol.sample_target_us);
  if (rotation_) protocol.rotation_factor = parse_real("--rotation", *rotation_, 0, 1000);
  if (seed_) {
    protocol.seed = static_cast<std::uint64_t>(parse_integer("--seed", *seed_, {0, kLargestSize}));
  }
  return protocol;
}

}  // namespace tilewright::measure::cli
