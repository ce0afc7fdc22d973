// Timing candidates against each other on the GPU, for peers whose policy is to tune. Not the
// engine's clock: it picks a kernel, and the engine then measures what was picked.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tilewright/gemm.h"
#include "tilewright/status.h"

namespace tilewright::measure {

using Launch = std::function<Status(Stream)>;

inline constexpr std::string_view kTuningMethod =
    "median of 9 rounds of graph replays on one warm set of buffers, order rotated";

// The place of the fastest candidate. One that does not launch is passed over; kUnsupported, with
// the last one's words, when none does.
Result<std::size_t> fastest_launch(const std::vector<Launch>& candidates);

}  // namespace tilewright::measure
