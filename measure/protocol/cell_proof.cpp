// What stands beside a cell's figures: the clock's own time, the floor of a plain read, times of
// the other cache treatments, energy, and reasons for doubt.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/protocol/cell_run.h"
#include "measure/stats/speed_of_light.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kLargestFloor_bytes = std::int64_t{1}
                                             << 29;  // beyond, bandwidth tells as much
constexpr int kFloorSamples = 5;
constexpr std::int64_t kResolutionsInWindow = 10;  // fewer, and the counter's steps are the figure
constexpr std::int64_t kWindowStep_ns = 50'000'000;  // between two looks at the clock
constexpr double kTracedGap = 0.01;                  // of a sample
constexpr double kHostBound = 0.9;                   // of a sample: then the host sets the pace

}  // namespace

// The median of a few samples, of one launch.
Result<std::int64_t> CellRun::time_launches(const LaunchAt& launch, std::int64_t launches,
                                            bool flushed) {
  Result<std::unique_ptr<Timer>> timer = bench_.make_timer();
  if (!timer) return timer.status();
  if (Status status = (*timer)->prepare(launch, launches); !status) return status;
  std::vector<double> times;
  for (int i = 0; i < kFloorSamples; ++i) {
    if (flushed) {
      if (Status status = bench_.device.flush_cache(protocol_.flush); !status) return status;
    }
    Result<std::vector<std::int64_t>> one = (*timer)->samples(1);
    if (!one) return one.status();
    if (Status status = check_samples(*one, 1); !status) return status;
    times.push_back(static_cast<double>(one->front()) / static_cast<double>(launches));
  }
  return static_cast<std::int64_t>(std::llround(median(times)));
}

// A clock that reads nothing around nothing (the host's, finer than its own step) has no overhead
// to tell of.
void CellRun::measure_overhead() {
  const Result<std::int64_t> overhead =
      time_launches([&](std::int64_t) { return bench_.device.launch_nothing(); }, 1, false);
  if (overhead) cell_.clock_overhead_ns = static_cast<double>(*overhead);
}

// Of as many bytes as one launch reads and writes, under the same treatment of the cache.
void CellRun::measure_floor() {
  const std::int64_t bytes = cell_.footprint_bytes / 16 * 16;
  if (bytes == 0 || bytes > kLargestFloor_bytes) return;
  const bool flushed = *protocol_.cache == CacheUse::kFlush;
  std::int64_t room = bytes;
  if (*protocol_.cache == CacheUse::kRotate) {
    room = std::max(2 * bytes, bytes + static_cast<std::int64_t>(
                                           protocol_.rotation_factor *
                                           static_cast<double>(bench_.device.cache_bytes())));
  }
  room = std::min(room, std::max(bench_.device.rotation_limit_bytes(), bytes));
  Result<Buffer> buffer = Buffer::allocate(bench_.device, room);
  if (!buffer || !bench_.device.poison(buffer->data(), room)) return;
  const std::int64_t places = flushed ? 1 : std::max<std::int64_t>(room / bytes, 1);
  const auto read = [&](std::int64_t index) {
    return bench_.device.stream_bytes(buffer->data() + index % places * bytes, nullptr, bytes);
  };
  const std::int64_t launches = flushed ? 1 : std::clamp<std::int64_t>(places, 1, 2000);
  const Result<std::int64_t> floor = time_launches(read, launches, flushed);
  if (floor) cell_.read_floor_ns = static_cast<double>(*floor);
}

// One launch at a time: hot (the same set again), rotated (the next set), flushed.
Status CellRun::measure_triple(Contender& contender) {
  const auto run = [&](std::int64_t set) {
    return contender.prepared->run(operands_->args(set), bench_.device.stream());
  };
  const std::int64_t sets = cell_.sets;
  const auto hot = time_launches([&](std::int64_t) { return run(0); }, 8, false);
  if (!hot) return hot.status();
  const auto rotated = time_launches([&](std::int64_t i) { return run(i % sets); },
                                     std::max<std::int64_t>(sets, 8), false);
  if (!rotated) return rotated.status();
  const auto flushed = time_launches([&](std::int64_t) { return run(0); }, 1, true);
  if (!flushed) return flushed.status();
  entry_of(contender).triple = CacheTriple{static_cast<double>(*hot), static_cast<double>(*rotated),
                                           static_cast<double>(*flushed)};
  return {};
}

// The counter moves in steps: how far apart they are, by the trace of this cell.
std::int64_t CellRun::energy_resolution_ns() {
  std::int64_t last_change_ns = -1;
  std::vector<double> steps_ns;
  std::optional<std::int64_t> last;
  for (const CardReading& reading : bench_.watch.trace_since(0)) {
    if (!reading.energy_mj) continue;
    if (last && *reading.energy_mj != *last) {
      if (last_change_ns >= 0) {
        steps_ns.push_back(static_cast<double>(reading.at_ns - last_change_ns));
      }
      last_change_ns = reading.at_ns;
    }
    last = reading.energy_mj;
  }
  return steps_ns.empty() ? 0 : std::llround(median(steps_ns));
}

Status CellRun::measure_energy(Contender& contender) {
  Entry& entry = entry_of(contender);
  report_("energy of " + entry.id, 0.95);
  const std::int64_t wanted_ns = std::int64_t{protocol_.energy_ms} * 1'000'000;
  const int at_once = static_cast<int>(std::clamp<std::int64_t>(
      kWindowStep_ns / std::max<std::int64_t>(contender.sample_ns, 1), 1, 1000));
  const std::int64_t resolution_ns = energy_resolution_ns();
  const CardReading before = bench_.watch.read();
  std::int64_t launches = 0;
  while (bench_.clock.now_ns() - before.at_ns < wanted_ns) {
    Result<std::vector<std::int64_t>> samples = contender.timer->samples(at_once);
    if (!samples) return samples.status();
    launches += at_once * entry.launches_per_sample;
  }
  const CardReading after = bench_.watch.read();
  if (!before.energy_mj || !after.energy_mj) return {};
  const EnergyWindow window{after.at_ns - before.at_ns, launches,
                            *after.energy_mj - *before.energy_mj, resolution_ns};
  if (window.resolution_ns == 0 || window.window_ns < kResolutionsInWindow * window.resolution_ns) {
    cell_.notes.push_back(
        fmt::format("{}: no energy: a window of {:.0f} ms is too short for a counter that moves "
                    "every {:.0f} ms",
                    entry.id, static_cast<double>(window.window_ns) * 1e-6,
                    static_cast<double>(window.resolution_ns) * 1e-6));
    return {};
  }
  entry.energy = window;
  return {};
}

// Reasons to doubt a figure. They stand beside it; nothing is thrown away.
void CellRun::flag(Contender& contender) {
  Entry& entry = entry_of(contender);
  if (entry.time_ns <= 0) return;
  const auto add = [&](std::string flag) {
    if (!flag.empty()) entry.flags.push_back(std::move(flag));
  };
  add(impossible(cell_.problem, bench_.device.info(), entry.fastest_ns,
                 bench_.card.highest_sm_mhz(), cell_.is_cold()));
  const double sample_ns = entry.time_ns * static_cast<double>(entry.launches_per_sample);
  // Where the device stamps its own work, what the host needs is not in the time.
  const bool stamped = entry.facts.gap_ns.has_value();
  if (!stamped && entry.facts.host_ns &&
      static_cast<double>(*entry.facts.host_ns) > kHostBound * sample_ns) {
    add(fmt::format("host-bound: the host needed {:.3g} us to enqueue a sample of {:.3g} us",
                    static_cast<double>(*entry.facts.host_ns) * 1e-3, sample_ns * 1e-3));
  }
  if (stamped && entry.launches_per_sample == 1 &&
      static_cast<double>(*entry.facts.gap_ns) > kTracedGap * sample_ns) {
    add(
        fmt::format("traced gaps: {:.3g} of its {:.3g} us lie between its own kernels and memsets; "
                    "tracing a graph node by node adds to them, so compare it by events",
                    static_cast<double>(*entry.facts.gap_ns) * 1e-3, sample_ns * 1e-3));
  }
  if (entry.facts.overlaps) {
    add("overlapping: its launches are chained, one begins before the last has ended, so a launch "
        "alone takes longer");
  }
}

}  // namespace tilewright::measure
