// The same work measured by several methods: what the clock and the regime change.
#pragma once

#include "measure/record/result.h"
#include "measure/record/table.h"

namespace tilewright::measure::cli {

// A row for each implementation of each problem, with its time by every method (a regime and a
// timer) of the file; for each two timers of a regime the ratio of their times, and for each timer
// of both regimes that of sustained over isolated. Only figures of one card are set against each
// other; of several of one method the first counts.
Table methods_table(const RunFile& run);

}  // namespace tilewright::measure::cli
