// Vector clocks: what one simulated thread knows of all others. If thread t's clock covers (slot,
// tick), then everything that `slot` did up to that tick happened before what t does now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright::hw::sim {

// Threads of a cluster come first, then its mbarriers, whose ticks are completed phases: what lands
// with a phase is known to those who waited for it.
using Slot = std::uint16_t;
using Tick = std::uint32_t;
inline constexpr Slot kNobody = 0xffff;

// An empty clock knows nothing; most stay so where no proxy fence is used.
class Clock {
 public:
  void reset(std::size_t slots) { ticks_.assign(slots, 0); }
  Tick operator[](Slot slot) const { return ticks_[slot]; }
  void set(Slot slot, Tick tick) { ticks_[slot] = tick; }
  void advance(Slot slot) { ++ticks_[slot]; }
  bool covers(Slot slot, Tick tick) const { return !ticks_.empty() && ticks_[slot] >= tick; }
  void join(const Clock& other) {
    if (other.ticks_.empty()) return;
    if (ticks_.empty()) {
      ticks_ = other.ticks_;
      return;
    }
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
    }
  }
  // What both know.
  void meet(const Clock& other) {
    if (ticks_.empty() || other.ticks_.empty()) {
      ticks_.clear();
      return;
    }
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      ticks_[i] = std::min(ticks_[i], other.ticks_[i]);
    }
  }

 private:
  std::vector<Tick> ticks_;
};

// A thread's knowledge, and how much of what it knows the asynchronous proxy may rely on: only what
// was written before a proxy fence on the way.
struct Knowledge {
  Clock seen, fenced;

  void reset(std::size_t slots) {
    seen.reset(slots);
    fenced = {};
  }
  void join(const Knowledge& other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
  void meet(const Knowledge& other) {
    seen.meet(other.seen);
    fenced.meet(other.fenced);
  }
};

}  // namespace tilewright::hw::sim
