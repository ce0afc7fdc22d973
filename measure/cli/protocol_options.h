// The numbers of the protocol, every one a flag.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "measure/protocol/compare.h"

namespace tilewright::measure::cli {

class ProtocolOptions {
 public:
  void add(CLI::App& command);
  Protocol protocol() const;  // its `check` is left as it is: the command decides

 private:
  using Word = std::optional<std::string>;
  Word regime_, timer_, rounds_, samples_, warmup_, first_warmup_, sample_us_, rotation_, seed_;
};

}  // namespace tilewright::measure::cli
