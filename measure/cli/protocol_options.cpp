#include "measure/cli/protocol_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

void take(const char* name, const std::optional<std::string>& word, Bounds bounds, int& out) {
  if (word) out = static_cast<int>(parse_integer(name, *word, bounds));
}

void take(const char* name, const std::optional<std::string>& word, Bounds bounds,
          std::optional<int>& out) {
  if (word) out = static_cast<int>(parse_integer(name, *word, bounds));
}

// One of several words, each with its meaning.
template <class T, class Out>
void take(const char* name, const std::optional<std::string>& word,
          const std::vector<std::pair<std::string, T>>& known, Out& out) {
  if (!word) return;
  std::vector<std::string> words;
  for (const auto& [each, meaning] : known) {
    if (each == *word) {
      out = meaning;
      return;
    }
    words.push_back(each);
  }
  wrong_usage(
      fmt::format("{}: '{}' is not accepted; give {}", name, *word, fmt::join(words, " or ")));
}

// "90s", "5m", "1h", or seconds without a letter.
std::int64_t parse_duration_ms(const char* name, const std::string& text) {
  std::int64_t unit_ms = 1000;
  std::string digits = text;
  if (!digits.empty()) {
    const char last = digits.back();
    if (last == 'm') unit_ms = 60'000;
    if (last == 'h') unit_ms = kHourMs;
    if (last == 's' || last == 'm' || last == 'h') digits.pop_back();
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos ||
      digits.size() > 6) {
    wrong_usage(
        fmt::format("{}: '{}' is not accepted; give a time like 90s, 5m or 1h", name, text));
  }
  return std::stoll(digits) * unit_ms;
}

FillChoice parse_fill(const std::string& text) {
  if (text == "uniform") return {Fill::kUniform, {}};
  if (text == "normal") return {Fill::kNormal, {}};
  if (text == "integer") return {Fill::kInteger, {}};
  if (text == "zero") return {Fill::kZero, {}};
  constexpr std::string_view kFile = "file:";
  if (!text.starts_with(kFile)) {
    wrong_usage(fmt::format(
        "--fill: '{}' is not accepted; give uniform, normal, integer, zero or file:PATH", text));
  }
  const std::string path = text.substr(kFile.size());
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.empty()) {
    wrong_usage(
        fmt::format("--fill: '{}' cannot be read or is empty; give a file of values", path));
  }
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {Fill::kFile, {first, first + bytes.size()}};
}

}  // namespace

void ProtocolOptions::add(CLI::App& command) {
  const Protocol standard;
  const auto option = [&](const char* name, Word& word, const char* type, std::string help) {
    command.add_option(name, word, std::move(help))->type_name(type)->group("Protocol");
  };
  option("--regime", regime_, "isolated|sustained",
         "how long one call takes, or what rate the device holds (sustained)");
  option("--timer", timer_, "cupti|events|wall|all",
         "the clock (GPU: cupti if isolated, events if sustained; CPU: wall)");
  option("--cupti-min", cupti_min_, "N", "oldest CUPTI accepted: 12, or 130001 (12)");
  option("--test", test_, "fixed-power|fixed-frequency",
         "the card as delivered, or with a clock that its owner has locked (fixed-power)");
  option("--cache", cache_, "rotate|flush|warm",
         "the operands before a launch (flush if isolated, rotate if sustained)");
  option("--flush", flush_, "discard|read", "how the cache is flushed (discard)");
  option("--rotation", rotation_, "X",
         fmt::format("buffers rotate over X last-level caches ({})", standard.rotation_factor));
  option("--order", order_, "balanced|rotated",
         "of the implementations in a round (balanced for predecessors)");
  option("--rounds", rounds_, "N", fmt::format("rounds a cell ({})", standard.rounds));
  option("--samples", samples_, "N", "samples a round (50 if isolated, 10 if sustained)");
  option("--sample-us", sample_us_, "US",
         fmt::format("how long a sustained sample lasts, about ({})", standard.sample_target_us));
  option("--first-warmup-ms", first_warmup_, "MS",
         fmt::format("before the first cell ({})", standard.first_warmup_ms));
  option("--warmup-ms", warmup_, "MS",
         fmt::format("before each later cell ({})", standard.warmup_ms));
  option("--most-warmup-ms", most_warmup_, "MS",
         fmt::format("where clock and power do not come to rest ({})", standard.most_warmup_ms));
  option("--idle-ms", idle_, "MS", "between cells (1000 on the GPU if sustained, else 0)");
  option(
      "--lead-in-ms", lead_in_, "MS",
      "launches of its own before its samples in a round (150 on the GPU if sustained, else one)");
  option("--pause", pause_, "X",
         fmt::format("after each flushed sample, X of its lengths, to cool down ({})",
                     standard.pause));
  option("--fill", fill_, "KIND", "uniform, normal, integer, zero or file:PATH (uniform)");
  option("--seed", seed_, "N", fmt::format("of the operands' fill ({})", standard.seed));
  option("--against", against_, "ID", "whom the verdicts are about (the first implementation)");
  option("--same-within", same_within_, "X",
         fmt::format("ratios closer to 1 count as equal ({})", standard.rule.same_within));
  option("--confidence", confidence_, "X",
         fmt::format("of the interval of a ratio ({})", standard.rule.confidence));
  option("--budget", budget_, "TIME", "5m: more rounds in this time where the verdict is open");
  option("--most-rounds", most_rounds_, "N",
         fmt::format("with a budget ({})", standard.most_rounds));
  option("--least-clock", least_clock_, "X",
         fmt::format("share of the highest SM clock below which samples do not count ({})",
                     standard.least_clock_share));
  option("--trace-ms", trace_ms_, "MS",
         fmt::format("between two readings of the card ({})", standard.trace_ms));
  option("--energy-ms", energy_ms_, "MS",
         "launches for the energy counter, each, 1500 or so (0: none)");
  command.add_flag("--triple", triple_, "hot, rotated and flushed times of each, as a proof")
      ->group("Protocol");
  command
      .add_flag("--allow-busy", allow_busy_, "measure although others use the GPU; it is flagged")
      ->group("Protocol");
}

void ProtocolOptions::take_words(Protocol& protocol) const {
  take<Regime>("--regime", regime_,
               {{"isolated", Regime::kIsolated}, {"sustained", Regime::kSustained}},
               protocol.regime);
  take<std::string>("--timer", timer_,
                    {{"cupti", "cupti"}, {"events", "events"}, {"wall", "wall"}, {"all", "all"}},
                    protocol.timer);
  take<TestType>(
      "--test", test_,
      {{"fixed-power", TestType::kFixedPower}, {"fixed-frequency", TestType::kFixedFrequency}},
      protocol.test);
  take<CacheUse>(
      "--cache", cache_,
      {{"rotate", CacheUse::kRotate}, {"flush", CacheUse::kFlush}, {"warm", CacheUse::kWarm}},
      protocol.cache);
  take<Flush>("--flush", flush_, {{"discard", Flush::kDiscard}, {"read", Flush::kRead}},
              protocol.flush);
  take<OrderKind>("--order", order_,
                  {{"balanced", OrderKind::kBalanced}, {"rotated", OrderKind::kRotated}},
                  protocol.order);
  if (fill_) protocol.fill = parse_fill(*fill_);
  if (against_) protocol.against = *against_;
  if (budget_) protocol.budget_ms = parse_duration_ms("--budget", *budget_);
}

void ProtocolOptions::take_numbers(Protocol& protocol) const {
  take("--cupti-min", cupti_min_, {12, 1'000'000}, protocol.cupti_min);
  take("--rounds", rounds_, {1, 1000}, protocol.rounds);
  take("--most-rounds", most_rounds_, {1, 1000}, protocol.most_rounds);
  take("--samples", samples_, {1, 10'000}, protocol.samples_per_round);
  take("--warmup-ms", warmup_, {0, kHourMs}, protocol.warmup_ms);
  take("--first-warmup-ms", first_warmup_, {0, kHourMs}, protocol.first_warmup_ms);
  take("--most-warmup-ms", most_warmup_, {0, kHourMs}, protocol.most_warmup_ms);
  take("--idle-ms", idle_, {0, kHourMs}, protocol.idle_ms);
  take("--lead-in-ms", lead_in_, {0, kHourMs}, protocol.lead_in_ms);
  take("--sample-us", sample_us_, {1, kHourMs * 1000 / 4}, protocol.sample_target_us);
  take("--trace-ms", trace_ms_, {0, 60'000}, protocol.trace_ms);
  take("--energy-ms", energy_ms_, {0, kHourMs}, protocol.energy_ms);
  if (rotation_) protocol.rotation_factor = parse_real("--rotation", *rotation_, 0, 1000);
  if (pause_) protocol.pause = parse_real("--pause", *pause_, 0, 1000);
  if (same_within_) {
    protocol.rule.same_within = parse_real("--same-within", *same_within_, 0, 1);
  }
  if (confidence_) {
    protocol.rule.confidence = parse_real("--confidence", *confidence_, 0.5, 0.999);
  }
  if (least_clock_) {
    protocol.least_clock_share = parse_real("--least-clock", *least_clock_, 0, 1);
  }
  if (seed_) {
    protocol.seed = static_cast<std::uint64_t>(parse_integer("--seed", *seed_, {0, kLargestSize}));
  }
}

Protocol ProtocolOptions::protocol() const {
  Protocol protocol;
  take_words(protocol);
  take_numbers(protocol);
  protocol.allow_busy = allow_busy_;
  protocol.triple = triple_;
  return protocol;
}

std::vector<Protocol> ProtocolOptions::passes(Backend backend, bool check) const {
  Protocol one = protocol();
  one.check = check;
  if (one.timer != "all") return {one};
  std::vector<Protocol> passes;
  // CUPTI last: what it adds to a launch stays for the life of the process.
  for (const char* timer : {"wall", "events", "cupti"}) {
    if (backend == Backend::kCpu && timer != std::string("wall")) continue;
    passes.push_back(one);
    passes.back().timer = timer;
  }
  return passes;
}

}  // namespace tilewright::measure::cli
