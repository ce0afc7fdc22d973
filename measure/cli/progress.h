// What a long run is doing, on stderr: one line rewritten on a terminal, now and then a plain line
// elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <string>

namespace tilewright::measure::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  struct State {
    std::size_t cell = 0, cells = 0;
    double elapsed_s = 0, left_s = -1;  // negative: not known yet
  };
  void show(const std::string& doing, const State& state);
  void clear();  // before anything else is printed

 private:
  using Clock = std::chrono::steady_clock;
  enum class Mode { kQuiet, kPlain, kTerminal };
  Mode mode_;
  bool shown_ = false;
  std::size_t last_cell_ = static_cast<std::size_t>(-1);
  Clock::time_point last_{};
};

}  // namespace tilewright::measure::cli
