// A card and a clock that do what a test says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/cards/card.h"
#include "measure/protocol/run_clock.h"

namespace tilewright::measure {

// Time passes when somebody sleeps, and a little whenever somebody looks.
class FakeClock final : public RunClock {
 public:
  std::int64_t now_ns() override { return now += step_ns; }
  void sleep_ns(std::int64_t ns) override {
    slept.push_back(ns);
    now += ns;
  }

  std::int64_t now = 0, step_ns = 1000;
  std::vector<std::int64_t> slept;
};

class FakeCard final : public Card {
 public:
  std::string missing() const override { return why_missing; }
  CardReading read() override { return reading(reads++); }
  CardUse use() override { return {processes(uses++), std::nullopt, std::nullopt}; }
  std::optional<int> highest_sm_mhz() const override { return highest; }
  std::optional<int> highest_memory_mhz() const override { return std::nullopt; }
  std::optional<int> power_limit_mw() const override { return std::nullopt; }
  std::string driver_version() const override { return "1.0"; }

  std::string why_missing;
  std::function<CardReading(int call)> reading = [](int) { return CardReading{}; };
  std::function<std::vector<CardProcess>(int call)> processes = [](int) {
    return std::vector<CardProcess>{};
  };
  std::optional<int> highest;
  int reads = 0, uses = 0;
};

}  // namespace tilewright::measure
