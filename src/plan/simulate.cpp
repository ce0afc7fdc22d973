#include "plan/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/cpu_info.h"
#include "layout/raster.h"
#include "plan/footprint.h"

namespace tilewright {
namespace {

constexpr double kLimitSeconds = 60;

std::vector<MemoryRange> memory_of(const GemmLaunch& launch) {
  const GemmProblem& p = launch.problem;
  const GemmArgs& args = launch.args;
  std::vector<MemoryRange> memory;
  const auto add = [&](const void* data, const Operand& operand, MatrixShape shape, bool writable,
                       const char* name) {
    if (data == nullptr || shape.rows == 0 || shape.cols == 0) return;
    memory.push_back({data, span_bytes(operand, shape, p.batch), writable, name});
  };
  if (args.alpha != 0) {
    add(args.a, p.a, shape_of_a(p), false, "A");
    add(args.b, p.b, shape_of_b(p), false, "B");
  }
  // D first where C is D: the same bytes may then be written.
  add(args.d, p.d, shape_of_d(p), true, "D");
  if (args.beta != 0) add(args.c, p.c, shape_of_d(p), false, "C");
  if (launch.workspace.bytes > 0) {
    memory.push_back({launch.workspace.data, static_cast<std::int64_t>(launch.workspace.bytes),
                      true, "the workspace"});
  }
  return memory;
}

std::string in_words(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.0f} hours", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

}  // namespace

double simulated_seconds(const GemmRow& row, const GemmProblem& p, int threads) {
  constexpr int kTile = 128, kDepth = 32;  // what is computed is whole tiles, as a rule
  const auto padded = [](std::int64_t extent, int tile) {
    return static_cast<double>(layout::tiles_of(extent, tile)) * tile;
  };
  const double blocks =
      static_cast<double>(p.batch) * padded(p.m, kTile) * padded(p.n, kTile) / (kTile * kTile);
  const double products = blocks * kTile * kTile * padded(p.k, kDepth);
  constexpr double kBlockSeconds = 2e-3;  // making its threads, and the epilogue
  return (products * row.simulated_ns * 1e-9 + blocks * kBlockSeconds) /
         std::min<double>(threads, std::max(1.0, blocks));
}

Status check_simulation(const GemmRow& row, const GemmProblem& p, const DeviceInfo& device) {
  if (row.simulate == nullptr) {
    return Status::unsupported(fmt::format("{} has no form for the simulator", row.name));
  }
  const SimInfo& sim = device.sim;
  const int threads = sim.threads > 0 ? sim.threads : device.cpu.cores;
  const double seconds = simulated_seconds(row, p, threads);
  if (seconds <= kLimitSeconds || sim.force) return {};
  return Status::unsupported(
      fmt::format("{} x {} x {} in a batch of {} would take {} about {} in the simulator; {:.0f} s "
                  "is the limit, --force (SimInfo::force) runs it",
                  p.m, p.n, p.k, p.batch, row.name, in_words(seconds), kLimitSeconds));
}

Status simulate(const GemmRow& row, GemmLaunch launch) {
  const std::vector<MemoryRange> memory = memory_of(launch);
  launch.memory = memory;
  return row.simulate(launch);
}

}  // namespace tilewright
