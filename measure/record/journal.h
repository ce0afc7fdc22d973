// A run as it grows: the file is written again, whole, after each cell, so that a run that is
// stopped, however roughly, leaves all cells that it completed.
#pragma once

#include <string>
#include <utility>

#include "measure/record/result.h"
#include "tilewright/status.h"

namespace tilewright::measure {

class Journal {
 public:
  // `run` holds at least one call, and the cells are added to its last one. An empty path keeps the
  // run in memory only.
  Journal(RunFile run, std::string path) : run_(std::move(run)), path_(std::move(path)) {}

  // What the device is, and what it can do at best. A run that is resumed keeps what it knew.
  void open(const CardFacts& card, const Bandwidths& bandwidths);
  // Computes the cell's figures, then writes. A cell of the same identity is replaced.
  Status add(Cell cell);
  Status warn(std::string warning);
  const RunFile& run() const { return run_; }

 private:
  Status write() const;

  RunFile run_;
  std::string path_;
};

// Whether both are of one problem, measured in one way on one device.
bool same_cell(const Cell& a, const Cell& b);

}  // namespace tilewright::measure
