// Watches the card while it works: a trace by a thread of its own, what a turn saw, and who else is
// there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "measure/cards/card.h"
#include "measure/protocol/run_clock.h"
#include "measure/record/result.h"

namespace tilewright::measure {

class CardWatch {
 public:
  // `own` are the processes that are this one; `trace_ms` 0 keeps no trace.
  CardWatch(Card& card, RunClock& clock, int trace_ms, std::vector<CardProcess> own);
  ~CardWatch();
  CardWatch(const CardWatch&) = delete;
  CardWatch& operator=(const CardWatch&) = delete;

  bool sees() const { return card_.missing().empty(); }
  CardReading read();
  // Ends a turn that began with `before`.
  CardTurn turn_since(const CardReading& before);
  // Since `from_ns`, at most kMostKept evenly chosen ones; what is older is forgotten.
  std::vector<CardReading> trace_since(std::int64_t from_ns);
  // Who else computes on the card, a sentence; empty when nobody does.
  std::string intruder();

  static constexpr std::size_t kMostKept = 512;

 private:
  void watch();

  Card& card_;
  RunClock& clock_;
  int trace_ms_;
  std::vector<CardProcess> own_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::vector<CardReading> trace_;
  std::thread thread_;
};

// How far `values` (at `at_ns`) changed from the first to the last by their least-squares line,
// over their mean; NaN for fewer than 5.
double relative_drift(const std::vector<std::int64_t>& at_ns, const std::vector<double>& values);

// Whether clock and power no longer move, by the readings of the last second or of all there are.
// Absent where they have neither.
struct Steadiness {
  std::optional<bool> settled;
  std::optional<double> clock_slope_percent_s;
};
Steadiness steadiness_of(const std::vector<CardReading>& trace, std::int64_t now_ns);

// Why a turn's samples cannot count, a sentence; empty when they can: heat or a fault of supply
// held the clock down, or it ran below `least_share` of its highest.
std::string throttled(const CardTurn& turn, std::optional<int> highest_mhz, double least_share);

}  // namespace tilewright::measure
