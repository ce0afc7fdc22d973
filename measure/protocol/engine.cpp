#include "measure/protocol/engine.h"

#include <algorithm>
#include <chrono>

#include "measure/protocol/cell_run.h"

namespace tilewright::measure {

std::vector<std::size_t> round_order(std::size_t count, int round) {
  std::vector<std::size_t> order(count);
  const std::size_t first = count == 0 ? 0 : static_cast<std::size_t>(round) % count;
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = round % 2 == 0 ? (first + i) % count : (first + count - i) % count;
  }
  return order;
}

std::vector<Cell> compare_with(const CompareSpec& spec,
                               const std::vector<std::unique_ptr<Implementation>>& implementations,
                               Workbench bench, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::size_t count = spec.problems.size();
  std::vector<Cell> cells;
  for (std::size_t index = 0; index < count; ++index) {
    const auto report = [&](const std::string& doing, double share) {
      const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
      const double done = (static_cast<double>(index) + share) / static_cast<double>(count);
      // Nothing can be told before something was timed.
      const double left = share > 0.2 || index > 0 ? elapsed * (1 - done) / done : -1.0;
      progress.step(index, count, doing, elapsed, left);
    };
    CellRun run(spec.problems[index], spec.protocol, bench, report);
    const int warmup_ms = index == 0 ? spec.protocol.first_warmup_ms : spec.protocol.warmup_ms;
    cells.push_back(run.run(implementations, warmup_ms));
    progress.cell_done(cells.back());
    if (!run.lost().empty()) break;
  }
  return cells;
}

}  // namespace tilewright::measure
