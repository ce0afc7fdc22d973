// Ours over a peer, cell by cell, and what is left of it in three figures.
#pragma once

#include <string>
#include <vector>

#include "measure/record/result.h"
#include "measure/record/table.h"

namespace tilewright::measure::cli {

struct RatioQuery {
  std::string ours;                  // an id
  std::vector<std::string> against;  // the fastest of these in each cell; empty: of all peers
  std::vector<std::string> where;    // key=value[,value..]; all must hold
  std::string by;                    // a key, or empty
};

struct RatioGroup {
  Json key;  // of --by; null without
  double geomean = 0, min = 0;
  std::int64_t cells = 0;
};

struct RatioAnswer {
  std::vector<RatioGroup> groups;
  // Cells that matched and are in no group, and cells whose figures were never verified.
  std::vector<std::string> warnings;
  bool ours_failed = false;  // in a cell that matched
};

// Keys that a cell can be asked for: m, n, k, batch, dtype, out, layout, op, regime, timer, device.
// A query that names what does not exist is wrong usage; one that leaves nothing to compare, or
// mixes what must not be mixed (regimes, timers, devices), is invalid.
RatioAnswer answer(const RunFile& run, const RatioQuery& query);

// The ids of a file, in the order of their first appearance.
std::vector<std::string> ids_of(const RunFile& run);

}  // namespace tilewright::measure::cli
