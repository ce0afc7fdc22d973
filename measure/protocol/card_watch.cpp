#include "measure/protocol/card_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright::measure {
namespace {

constexpr std::int64_t kWindow_ns = 1'000'000'000;
constexpr double kClockDrift = 0.01, kPowerDrift = 0.03;  // over the window; noise is about half
constexpr std::size_t kFewest = 5;                        // readings that make a slope

// Keeps every second one: half as many, as evenly spaced.
void thin_out(std::vector<CardReading>& readings) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < readings.size(); i += 2) readings[kept++] = readings[i];
  readings.resize(kept);
}

}  // namespace

CardWatch::CardWatch(Card& card, RunClock& clock, int trace_ms, std::vector<CardProcess> own)
    : card_(card), clock_(clock), trace_ms_(trace_ms), own_(std::move(own)) {
  if (trace_ms_ > 0 && sees()) thread_ = std::thread([this] { watch(); });
}

CardWatch::~CardWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CardWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(trace_ms_), [this] { return stop_; })) {
    lock.unlock();
    CardReading reading = card_.read();
    reading.at_ns = clock_.now_ns();
    lock.lock();
    trace_.push_back(reading);
  }
}

CardReading CardWatch::read() {
  CardReading reading = card_.read();
  reading.at_ns = clock_.now_ns();
  if (trace_ms_ == 0 && sees()) {
    const std::lock_guard lock(mutex_);
    trace_.push_back(reading);
  }
  return reading;
}

CardTurn CardWatch::turn_since(const CardReading& before) {
  CardTurn turn{before, read(), std::nullopt, std::nullopt};
  double clocks = 0, power = 0;
  int clock_count = 0, power_count = 0;
  const auto add = [&](const CardReading& reading) {
    if (reading.sm_mhz) clocks += *reading.sm_mhz, ++clock_count;
    if (reading.power_mw) power += *reading.power_mw, ++power_count;
  };
  add(turn.after);
  {
    const std::lock_guard lock(mutex_);
    for (auto it = trace_.rbegin(); it != trace_.rend() && it->at_ns >= before.at_ns; ++it) {
      if (it->at_ns < turn.after.at_ns) add(*it);
    }
  }
  if (clock_count > 0) turn.sm_mhz = clocks / clock_count;
  if (power_count > 0) turn.power_mw = power / power_count;
  return turn;
}

std::vector<CardReading> CardWatch::trace_since(std::int64_t from_ns) {
  const std::lock_guard lock(mutex_);
  std::erase_if(trace_, [&](const CardReading& reading) { return reading.at_ns < from_ns; });
  std::vector<CardReading> kept = trace_;
  while (kept.size() > kMostKept) thin_out(kept);
  return kept;
}

std::string CardWatch::intruder() {
  const CardUse use = card_.use();
  for (const CardProcess& process : use.processes) {
    if (process.pid == ::getpid() || std::find(own_.begin(), own_.end(), process) != own_.end()) {
      continue;
    }
    return fmt::format("another process computes on this card: {}{}", process.pid,
                       process.name.empty() ? "" : " (" + process.name + ")");
  }
  return "";
}

double relative_drift(const std::vector<std::int64_t>& at_ns, const std::vector<double>& values) {
  const std::size_t count = values.size();
  if (count < kFewest) return std::numeric_limits<double>::quiet_NaN();
  double mean_t = 0, mean_v = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean_t += static_cast<double>(at_ns[i] - at_ns[0]) / static_cast<double>(count);
    mean_v += values[i] / static_cast<double>(count);
  }
  double covariance = 0, variance = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(at_ns[i] - at_ns[0]) - mean_t;
    covariance += t * (values[i] - mean_v);
    variance += t * t;
  }
  if (variance <= 0 || mean_v == 0) return std::numeric_limits<double>::quiet_NaN();
  return covariance / variance * static_cast<double>(at_ns[count - 1] - at_ns[0]) / mean_v;
}

Steadiness steadiness_of(const std::vector<CardReading>& trace, std::int64_t now_ns) {
  std::vector<std::int64_t> clock_at, power_at;
  std::vector<double> clocks, power;
  for (const CardReading& reading : trace) {
    if (reading.at_ns < now_ns - kWindow_ns) continue;
    if (reading.sm_mhz) {
      clock_at.push_back(reading.at_ns);
      clocks.push_back(*reading.sm_mhz);
    }
    if (reading.power_mw) {
      power_at.push_back(reading.at_ns);
      power.push_back(*reading.power_mw);
    }
  }
  Steadiness out;
  const double clock_drift = relative_drift(clock_at, clocks);
  const double power_drift = relative_drift(power_at, power);
  if (std::isfinite(clock_drift)) {
    out.clock_slope_percent_s =
        100 * clock_drift * 1e9 / static_cast<double>(clock_at.back() - clock_at.front());
  }
  if (!clocks.empty() || !power.empty()) {
    // Too few readings are no proof of anything.
    const bool clock_still = clocks.empty() || std::fabs(clock_drift) <= kClockDrift;
    const bool power_still = power.empty() || std::fabs(power_drift) <= kPowerDrift;
    out.settled = clock_still && power_still;
  }
  return out;
}

std::string throttled(const CardTurn& turn, std::optional<int> highest_mhz, double least_share) {
  for (const CardReading* reading : {&turn.before, &turn.after}) {
    if (reading->event_reasons && is_faulty(*reading->event_reasons)) {
      return fmt::format("throttled: {}", fmt::join(reason_names(*reading->event_reasons), ", "));
    }
  }
  if (turn.sm_mhz && highest_mhz && *turn.sm_mhz < least_share * *highest_mhz) {
    return fmt::format("throttled: the SM clock was {:.0f} MHz, below {:.0f} % of {} MHz",
                       *turn.sm_mhz, 100 * least_share, *highest_mhz);
  }
  return "";
}

}  // namespace tilewright::measure
