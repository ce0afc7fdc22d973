#include "measure/protocol/engine.h"

#include <algorithm>
#include <utility>

#include "measure/protocol/cell_run.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kMostStream_bytes = std::int64_t{4} << 30;

// GB/s of moving `bytes`, `counted` of them; 0 where that cannot be timed.
double rate_of(Workbench& bench, const LaunchAt& launch, std::int64_t counted) {
  Result<std::unique_ptr<Timer>> timer = bench.make_timer();
  if (!timer || !(*timer)->prepare(launch, 1)) return 0;
  const Result<std::vector<std::int64_t>> samples = (*timer)->samples(7);
  if (!samples || !check_samples(*samples, 7)) return 0;
  return static_cast<double>(counted) / median({samples->begin() + 1, samples->end()});
}

}  // namespace

Bandwidths measure_bandwidths(Workbench bench) {
  Device& device = bench.device;
  // Far beyond the cache, so that what stays in it between two passes does not count.
  const std::int64_t wanted = std::max<std::int64_t>(16 * device.cache_bytes(), 1 << 20);
  const std::int64_t bytes =
      std::min({wanted, kMostStream_bytes, device.rotation_limit_bytes() / 4}) / 32 * 32;
  Result<Buffer> buffer = Buffer::allocate(device, std::max<std::int64_t>(bytes, 32));
  if (bytes < 2 * device.cache_bytes() || !buffer || !device.poison(buffer->data(), bytes)) {
    return {};
  }
  std::byte* data = buffer->data();
  Bandwidths found;
  found.read_gbs = rate_of(
      bench, [&](std::int64_t) { return device.stream_bytes(data, nullptr, bytes); }, bytes);
  found.copy_gbs = rate_of(
      bench, [&](std::int64_t) { return device.stream_bytes(data, data + bytes / 2, bytes / 2); },
      bytes);
  return found;
}

ComparedCells compare_with(const std::vector<CellSpec>& cells, const Protocol& protocol,
                           Workbench bench, const Progress& progress) {
  const std::int64_t start_ns = bench.clock.now_ns();
  const auto count = static_cast<std::int64_t>(cells.size());
  ComparedCells done;
  for (std::int64_t index = 0; index < count; ++index) {
    const auto report = [&](const std::string& doing, double share) {
      const double elapsed = static_cast<double>(bench.clock.now_ns() - start_ns) * 1e-9;
      const double over = (static_cast<double>(index) + share) / static_cast<double>(count);
      // Nothing can be told before something was timed.
      const double left = share > 0.2 || index > 0 ? elapsed * (1 - over) / over : -1.0;
      progress.step(static_cast<std::size_t>(index), cells.size(), doing, elapsed, left);
    };
    if (index > 0 && *protocol.idle_ms > 0) {
      report("idle, so that the card cools down", 0);
      bench.clock.sleep_ns(std::int64_t{*protocol.idle_ms} * 1'000'000);
    }
    const CellSpec& spec = cells[static_cast<std::size_t>(index)];
    CellRun run(spec.problem, protocol, bench, report);
    const int warmup_ms = index == 0 ? protocol.first_warmup_ms : protocol.warmup_ms;
    // Each cell may use its share of the budget, and what those before it left.
    const std::int64_t deadline_ns =
        start_ns + protocol.budget_ms * 1'000'000 / count * (index + 1);
    done.cells.push_back(run.run(spec.implementations, warmup_ms, deadline_ns));
    progress.cell_done(done.cells.back());
    if (!run.lost().empty()) {
      done.ended_early = run.lost();
      break;
    }
  }
  return done;
}

}  // namespace tilewright::measure
