// Cells -> the table that compare, bench and report print.
#pragma once

#include "measure/cli/failure.h"
#include "measure/record/result.h"
#include "measure/record/table.h"

namespace tilewright::measure::cli {

Table result_table(const RunFile& run);

// Whether the check ran; --no-verify leaves it out.
bool was_checked(const Entry& entry);

// Whether any figure stands with a reason for doubt.
bool has_flags(const RunFile& run);

// Exit::kFailure when an implementation of ours failed, or nothing could be timed at all.
Exit outcome_of(const RunFile& run);

}  // namespace tilewright::measure::cli
