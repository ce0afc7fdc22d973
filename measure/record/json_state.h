// The state of the card, the warm-up and what clocks saw, as JSON and back. Readings are stored by
// quantity, a list each, so that a file stays small and a picture is drawn from one list.
#pragma once

#include <vector>

#include "measure/record/json.h"
#include "measure/record/json_field.h"
#include "measure/record/result.h"

namespace tilewright::measure {

Json readings_to_json(const std::vector<CardReading>& readings);  // null where there are none
std::vector<CardReading> readings_from(const Field& field);

Json turns_to_json(const std::vector<CardTurn>& turns);  // null where there are none
std::vector<CardTurn> turns_from(const Field& field);

Json facts_to_json(const SampleFacts& facts);
SampleFacts facts_from(const Field& field);

Json energy_to_json(const Entry& entry);  // with the figures that follow from it
std::optional<EnergyWindow> energy_from(const Field& field);
Json triple_to_json(const std::optional<CacheTriple>& triple);
std::optional<CacheTriple> triple_from(const Field& field);
Json counters_to_json(const std::optional<Counters>& counters);
std::optional<Counters> counters_from(const Field& field);

Json warm_up_to_json(const WarmUp& warm_up);
WarmUp warm_up_from(const Field& field);

Json card_to_json(const CardFacts& card);
CardFacts card_from(const Field& field);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// JSON has no NaN or infinity; null stands for both, and the reader gives NaN back.
Json finite_or_null(double value);

}  // namespace tilewright::measure
