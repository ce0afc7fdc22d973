// The comparison engine: implementations x problems -> cells with raw samples.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/protocol/device.h"
#include "measure/protocol/operands.h"
#include "measure/record/result.h"
#include "measure/stats/order.h"
#include "measure/stats/verdict.h"

namespace tilewright::measure {

enum class Regime { kIsolated, kSustained };
// Fixed power: the card as delivered. Fixed frequency: a clock that its owner has locked; it must
// not move.
enum class TestType { kFixedPower, kFixedFrequency };
enum class CacheUse { kRotate, kFlush, kWarm };

// The numbers are the defaults; every one is a flag of the tool. What is absent follows from regime
// and device: see settled_protocol().
struct Protocol {
  Regime regime = Regime::kSustained;
  TestType test = TestType::kFixedPower;
  std::string timer;   // "cupti", "events" or "wall"
  int cupti_min = 12;  // the oldest CUPTI that is accepted
  std::optional<CacheUse> cache;
  Flush flush = Flush::kDiscard;
  double rotation_factor = 2.0;  // all sets together are at least this many last-level caches
  int first_warmup_ms = 3000;    // before the first cell
  int warmup_ms = 300;           // before every later one
  int most_warmup_ms = 15'000;   // where clock and power do not come to rest
  std::optional<int> idle_ms;    // between cells
  double pause = 1.0;            // isolated: after each sample, so many of its lengths
  // Launches of its own before an implementation's samples in a round, so that clock and cache are
  // where it puts them and not where its neighbour left them.
  std::optional<int> lead_in_ms;
  int rounds = 8;
  int most_rounds = 64;  // with a budget
  std::optional<int> samples_per_round;
  int sample_target_us = 3000;  // launches a sample are chosen so that it lasts about this long
  OrderKind order = OrderKind::kBalanced;
  std::optional<FillChoice> fill;  // uniform; zero for fixed frequency
  std::uint64_t seed = 1;
  bool check = true;    // false only by --no-verify, and then recorded as not checked
  std::string against;  // whom the verdicts are about; empty: the first of a cell
  VerdictRule rule;
  std::int64_t budget_ms = 0;  // of the whole run: more rounds where the verdict is undecided
  bool allow_busy = false;
  double least_clock_share = 0.5;  // of the highest: samples below it count as throttled
  int trace_ms = 20;
  int energy_ms = 0;    // of launches back to back for the energy counter; 0: none
  bool triple = false;  // hot, rotated and flushed times of each implementation
};

// With everything filled in that follows from regime and device.
Protocol settled_protocol(Protocol protocol, Backend backend);

// Neighbouring problems with the same implementations.
struct CompareGroup {
  std::vector<GemmProblem> problems;
  std::vector<std::string> ids;
};

struct CompareSpec {
  std::vector<CompareGroup> groups;
  DeviceInfo device;
  Protocol protocol;
  // Cells that are there already, of an earlier call: what is the same is not measured again.
  std::vector<Cell> done;
};

// The second id of an A/A control: the same implementation, prepared once more.
inline constexpr std::string_view kAgain = "@again";

struct Progress {
  // Called often: which cell, what is being done, seconds since the start and, once it can be
  // told, seconds left (negative until then).
  std::function<void(std::size_t cell, std::size_t cells, const std::string& doing,
                     double elapsed_s, double left_s)>
      step = [](auto&&...) {};
  // Called once, before the first cell.
  std::function<void(const CardFacts&, const Bandwidths&)> opened = [](auto&&...) {};
  // Called after each cell is complete: the journal's hook.
  std::function<void(const Cell&)> cell_done = [](const Cell&) {};
};

struct ComparedCells {
  std::vector<Cell> cells;
  std::string ended_early;  // why there are fewer cells than problems; else empty
};

// Fails as a whole only for what makes every cell impossible (no device, unknown id, a clock that
// cannot be used). What goes wrong with one implementation is recorded in its Entry.
Result<ComparedCells> compare(const CompareSpec& spec, const Progress& progress);

// Verifies one implementation on one problem against the reference, without timing.
Result<CheckRecord> verify(const std::string& id, const GemmProblem& problem,
                           const DeviceInfo& device, std::uint64_t seed, float alpha, float beta);

}  // namespace tilewright::measure
