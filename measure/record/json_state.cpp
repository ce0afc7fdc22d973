#include "measure/record/json_state.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::measure {
namespace {

using Whole = std::optional<std::int64_t>;

// One quantity of a reading by name: how it is stored and put back.
struct Quantity {
  const char* key;
  Whole (*get)(const CardReading&);
  void (*set)(CardReading&, std::int64_t);
};

template <auto Member>
constexpr Quantity quantity(const char* key) {
  return {key,
          [](const CardReading& reading) -> Whole {
            const auto& value = reading.*Member;
            return value ? Whole(static_cast<std::int64_t>(*value)) : std::nullopt;
          },
          [](CardReading& reading, std::int64_t value) {
            using Value = typename std::remove_reference_t<decltype(reading.*Member)>::value_type;
            reading.*Member = static_cast<Value>(value);
          }};
}

constexpr std::array kQuantities = {
    quantity<&CardReading::sm_mhz>("sm_mhz"),
    quantity<&CardReading::memory_mhz>("memory_mhz"),
    quantity<&CardReading::power_mw>("power_mw"),
    quantity<&CardReading::average_power_mw>("average_power_mw"),
    quantity<&CardReading::temperature_c>("temperature_c"),
    quantity<&CardReading::energy_mj>("energy_mj"),
    quantity<&CardReading::event_reasons>("event_reasons"),
    quantity<&CardReading::power_capped_ns>("power_capped_ns"),
    quantity<&CardReading::thermal_ns>("thermal_ns"),
    quantity<&CardReading::power_brake_ns>("power_brake_ns"),
};

std::optional<std::int64_t> maybe_integer(const Field& field) {
  return field.is_null() ? std::nullopt : std::optional(field.integer());
}
std::optional<int> maybe_small(const Field& field) {
  return field.is_null() ? std::nullopt : std::optional(field.small());
}
std::optional<double> maybe_number(const Field& field) {
  return field.is_null() ? std::nullopt : std::optional(field.number());
}

std::vector<std::optional<double>> numbers_from(const Field& field) {
  std::vector<std::optional<double>> values;
  field.each([&](const Field& item) { values.push_back(maybe_number(item)); });
  return values;
}

}  // namespace

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json readings_to_json(const std::vector<CardReading>& readings) {
  if (readings.empty()) return nullptr;
  Json json = {{"at_us", Json::array()}};
  for (const CardReading& reading : readings) json["at_us"].push_back(reading.at_ns / 1000);
  for (const Quantity& each : kQuantities) {
    Json list = Json::array();
    for (const CardReading& reading : readings) list.push_back(or_null(each.get(reading)));
    const bool nothing = std::all_of(list.begin(), list.end(), [](auto& v) { return v.is_null(); });
    json[each.key] = nothing ? Json(nullptr) : list;
  }
  return json;
}

std::vector<CardReading> readings_from(const Field& field) {
  std::vector<CardReading> readings;
  if (field.is_null()) return readings;
  field["at_us"].each(
      [&](const Field& at) { readings.emplace_back().at_ns = at.integer() * 1000; });
  for (const Quantity& each : kQuantities) {
    if (field[each.key].is_null()) continue;
    std::size_t index = 0;
    field[each.key].each([&](const Field& item) {
      if (index >= readings.size()) item.refuse("is more than there are times in at_us");
      if (!item.is_null()) each.set(readings[index], item.integer());
      ++index;
    });
    if (index != readings.size()) field[each.key].refuse("must hold a value for each of at_us");
  }
  return readings;
}

Json turns_to_json(const std::vector<CardTurn>& turns) {
  if (turns.empty()) return nullptr;
  std::vector<CardReading> before, after;
  Json sm = Json::array(), power = Json::array();
  for (const CardTurn& turn : turns) {
    before.push_back(turn.before);
    after.push_back(turn.after);
    sm.push_back(or_null(turn.sm_mhz));
    power.push_back(or_null(turn.power_mw));
  }
  return {{"before", readings_to_json(before)},
          {"after", readings_to_json(after)},
          {"mean_sm_mhz", sm},
          {"mean_power_mw", power}};
}

std::vector<CardTurn> turns_from(const Field& field) {
  std::vector<CardTurn> turns;
  if (field.is_null()) return turns;
  const std::vector<CardReading> before = readings_from(field["before"]);
  const std::vector<CardReading> after = readings_from(field["after"]);
  const auto sm = numbers_from(field["mean_sm_mhz"]), power = numbers_from(field["mean_power_mw"]);
  for (const std::size_t count : {after.size(), sm.size(), power.size()}) {
    if (count != before.size()) field.refuse("must hold as many of each list as there are turns");
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    turns.push_back({before[i], after[i], sm[i], power[i]});
  }
  return turns;
}

Json facts_to_json(const SampleFacts& facts) {
  return {{"gap_ns", or_null(facts.gap_ns)},
          {"host_ns", or_null(facts.host_ns)},
          {"lost_records", or_null(facts.lost)},
          {"overlaps", facts.overlaps},
          {"kernels", facts.kernels}};
}

SampleFacts facts_from(const Field& field) {
  SampleFacts facts;
  facts.gap_ns = maybe_integer(field["gap_ns"]);
  facts.host_ns = maybe_integer(field["host_ns"]);
  if (!field["lost_records"].is_null()) facts.lost = field["lost_records"].unsigned_integer();
  facts.overlaps = field["overlaps"].truth();
  field["kernels"].each([&](const Field& name) { facts.kernels.push_back(name.text()); });
  return facts;
}

Json energy_to_json(const Entry& entry) {
  if (!entry.energy) return nullptr;
  return {{"window_ns", entry.energy->window_ns},
          {"launches", entry.energy->launches},
          {"energy_mj", entry.energy->energy_mj},
          {"resolution_ns", entry.energy->resolution_ns}};
}

std::optional<EnergyWindow> energy_from(const Field& field) {
  if (field.is_null()) return std::nullopt;
  return EnergyWindow{field["window_ns"].integer(1), field["launches"].integer(1),
                      field["energy_mj"].integer(), field["resolution_ns"].integer()};
}

Json triple_to_json(const std::optional<CacheTriple>& triple) {
  if (!triple) return nullptr;
  return {{"hot_ns", triple->hot_ns},
          {"rotated_ns", triple->rotated_ns},
          {"flushed_ns", triple->flushed_ns}};
}

std::optional<CacheTriple> triple_from(const Field& field) {
  if (field.is_null()) return std::nullopt;
  return CacheTriple{field["hot_ns"].number(), field["rotated_ns"].number(),
                     field["flushed_ns"].number()};
}

Json counters_to_json(const std::optional<Counters>& counters) {
  if (!counters) return nullptr;
  return {{"state", counters->state},
          {"reason", counters->reason},
          {"l2_hit_percent", or_null(counters->l2_hit_percent)},
          {"sm_percent", or_null(counters->sm_percent)},
          {"dram_percent", or_null(counters->dram_percent)},
          {"l2_percent", or_null(counters->l2_percent)},
          {"dram_read_bytes", or_null(counters->dram_read_bytes)},
          {"dram_written_bytes", or_null(counters->dram_written_bytes)},
          {"multicast_bytes", or_null(counters->multicast_bytes)}};
}

std::optional<Counters> counters_from(const Field& field) {
  if (field.is_null()) return std::nullopt;
  Counters counters;
  counters.state = field["state"].text();
  constexpr std::array kStates = {"ok", "denied", "missing", "failed"};
  if (std::find(kStates.begin(), kStates.end(), counters.state) == kStates.end()) {
    field["state"].refuse("must be ok, denied, missing or failed");
  }
  counters.reason = field["reason"].text();
  counters.l2_hit_percent = maybe_number(field["l2_hit_percent"]);
  counters.sm_percent = maybe_number(field["sm_percent"]);
  counters.dram_percent = maybe_number(field["dram_percent"]);
  counters.l2_percent = maybe_number(field["l2_percent"]);
  counters.dram_read_bytes = maybe_integer(field["dram_read_bytes"]);
  counters.dram_written_bytes = maybe_integer(field["dram_written_bytes"]);
  counters.multicast_bytes = maybe_integer(field["multicast_bytes"]);
  return counters;
}

Json warm_up_to_json(const WarmUp& warm_up) {
  return {{"ms", warm_up.ms},
          {"settled", or_null(warm_up.settled)},
          {"slope_percent_s", or_null(warm_up.slope_percent_s)}};
}

WarmUp warm_up_from(const Field& field) {
  WarmUp warm_up;
  warm_up.ms = field["ms"].integer();
  if (!field["settled"].is_null()) warm_up.settled = field["settled"].truth();
  warm_up.slope_percent_s = maybe_number(field["slope_percent_s"]);
  return warm_up;
}

Json card_to_json(const CardFacts& card) {
  Json cpu = nullptr;
  if (card.cpu) {
    cpu = {{"governor", or_null(card.cpu->governor)},
           {"mhz", or_null(card.cpu->mhz)},
           {"quota_cpus", or_null(card.cpu->quota_cpus)},
           {"load_1min", or_null(card.cpu->load_1min)},
           {"usable_cpus", card.cpu->usable_cpus}};
  }
  return {{"missing", card.missing},
          {"driver_version", card.driver_version},
          {"power_limit_mw", or_null(card.power_limit_mw)},
          {"highest_sm_mhz", or_null(card.highest_sm_mhz)},
          {"highest_memory_mhz", or_null(card.highest_memory_mhz)},
          {"cupti_path", card.cupti_path},
          {"cupti_version", card.cupti_version},
          {"cpu", cpu}};
}

CardFacts card_from(const Field& field) {
  CardFacts card;
  card.missing = field["missing"].text();
  card.driver_version = field["driver_version"].text();
  card.power_limit_mw = maybe_small(field["power_limit_mw"]);
  card.highest_sm_mhz = maybe_small(field["highest_sm_mhz"]);
  card.highest_memory_mhz = maybe_small(field["highest_memory_mhz"]);
  card.cupti_path = field["cupti_path"].text();
  card.cupti_version = field["cupti_version"].integer();
  const Field cpu = field["cpu"];
  if (cpu.is_null()) return card;
  card.cpu.emplace();
  if (!cpu["governor"].is_null()) card.cpu->governor = cpu["governor"].text();
  card.cpu->mhz = maybe_small(cpu["mhz"]);
  card.cpu->quota_cpus = maybe_number(cpu["quota_cpus"]);
  card.cpu->load_1min = maybe_number(cpu["load_1min"]);
  card.cpu->usable_cpus = cpu["usable_cpus"].small();
  return card;
}

}  // namespace tilewright::measure
