// A run as it grows: the file is written again, whole, after each cell, so that a run that is
// stopped leaves all it measured.
#pragma once

#include <string>
#include <utility>

#include "measure/record/result.h"
#include "tilewright/status.h"

namespace tilewright::measure {

class Journal {
 public:
  // An empty path keeps the run in memory only.
  Journal(RunFile run, std::string path) : run_(std::move(run)), path_(std::move(path)) {}

  Status add(Cell cell);  // computes the cell's figures, then writes
  Status warn(std::string warning);
  const RunFile& run() const { return run_; }

 private:
  Status write() const;

  RunFile run_;
  std::string path_;
};

}  // namespace tilewright::measure
