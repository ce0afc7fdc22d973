// The comparison engine: implementations x problems -> cells with raw samples.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/record/result.h"

namespace tilewright::measure {

enum class Regime { kIsolated, kSustained };

// The numbers are the defaults; every one is a flag of the tool.
struct Protocol {
  Regime regime = Regime::kSustained;
  std::string timer;           // "events" or "wall"; empty: events on the GPU, wall on the CPU
  int first_warmup_ms = 3000;  // before the first cell (the GPU's clock settles)
  int warmup_ms = 300;         // before every later one
  int rounds = 8;
  int samples_per_round = 10;
  int sample_target_us = 2000;   // launches a sample are chosen so that it lasts about this long
  double rotation_factor = 2.0;  // all sets together are at least this many last-level caches
  std::uint64_t seed = 1;
  bool check = true;  // false only by --no-verify, and then recorded as not checked
};

struct CompareSpec {
  std::vector<GemmProblem> problems;
  std::vector<std::string> ids;
  DeviceInfo device;
  Protocol protocol;
};

struct Progress {
  // Called often: which cell, what is being done, seconds since the start and, once it can be
  // told, seconds left (negative until then).
  std::function<void(std::size_t cell, std::size_t cells, const std::string& doing,
                     double elapsed_s, double left_s)>
      step = [](auto&&...) {};
  // Called after each cell is complete: the journal's hook.
  std::function<void(const Cell&)> cell_done = [](const Cell&) {};
};

// Fails as a whole only for what makes every cell impossible (no device, unknown id). What goes
// wrong with one implementation is recorded in its Entry.
Result<std::vector<Cell>> compare(const CompareSpec& spec, const Progress& progress);

// Verifies one implementation on one problem against the reference, without timing.
Result<CheckRecord> verify(const std::string& id, const GemmProblem& problem,
                           const DeviceInfo& device, std::uint64_t seed, float alpha, float beta);

}  // namespace tilewright::measure
