#include "measure/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace tilewright::measure::cli {
namespace {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::llround(std::max(seconds, 0.0)));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : mode_(quiet                     ? Mode::kQuiet
            : ::isatty(STDERR_FILENO) ? Mode::kTerminal
                                      : Mode::kPlain) {}

void ProgressLine::show(const std::string& doing, const State& state) {
  if (mode_ == Mode::kQuiet) return;
  // A terminal is rewritten ten times a second at most, a log gets a line a cell and a line a
  // minute: writing must not disturb what is measured.
  const auto now = Clock::now();
  const auto pause =
      mode_ == Mode::kTerminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(60'000);
  const bool new_cell = state.cell != last_cell_;
  if (!new_cell && now - last_ < pause) return;
  last_ = now;
  last_cell_ = state.cell;

  std::string line = fmt::format("cell {}/{}  {}  {} elapsed", state.cell + 1, state.cells, doing,
                                 clock_text(state.elapsed_s));
  if (std::isfinite(state.left_s) && state.left_s >= 0) {
    line += fmt::format(", {} left", clock_text(state.left_s));
  }
  if (mode_ == Mode::kPlain) {
    fmt::print(stderr, "{}\n", line);
  } else {
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
    shown_ = true;
  }
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tilewright::measure::cli
