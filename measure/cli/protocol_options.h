// The numbers of the protocol, every one a flag.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measure/protocol/compare.h"

namespace tilewright::measure::cli {

class ProtocolOptions {
 public:
  void add(CLI::App& command);
  // One protocol a clock: one, or all that the device has, for --timer all.
  std::vector<Protocol> passes(Backend backend, bool check) const;

 private:
  using Word = std::optional<std::string>;
  Protocol protocol() const;
  void take_words(Protocol& protocol) const;
  void take_numbers(Protocol& protocol) const;

  Word regime_, timer_, cupti_min_, test_, cache_, flush_, order_, fill_, against_, budget_;
  Word rounds_, most_rounds_, samples_, warmup_, first_warmup_, most_warmup_, idle_, lead_in_,
      pause_, sample_us_, rotation_, seed_, same_within_, confidence_, least_clock_, trace_ms_,
      energy_ms_;
  bool allow_busy_ = false, triple_ = false;
};

}  // namespace tilewright::measure::cli
