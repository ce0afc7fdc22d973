// What a profiler's kernel records say of a replayed graph. Pure: records in, times out, so that
// every way in which records can be wrong is tested without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/status.h"

namespace tilewright::measure {

// One kernel, memset or copy that ran on the device.
struct ActivityRecord {
  enum class Kind : std::uint8_t { kKernel, kMemset, kMemcpy };
  Kind kind = Kind::kKernel;
  std::string name;  // of a kernel, as the library has it; "memset", "memcpy"
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t stream = 0;
};

struct ReplaySpans {
  std::vector<std::int64_t> spans_ns;  // of each replay: first start to last end
  std::vector<std::int64_t> gaps_ns;   // of each replay: time in its span in which nothing ran
  std::int64_t records_per_replay = 0;
  std::vector<std::string> kernels;  // distinct names, in the order they first ran
};

// `records` of `replays` replays of one graph of `nodes` nodes that do work, in any order; `lost`
// is what the profiler says it dropped, absent where it could not tell. Fails in a sentence on
// records dropped or missing or too many, a stamp that is 0, an end before its start, replays that
// overlap, and on replays that ran different kernels.
Result<ReplaySpans> replay_spans(std::vector<ActivityRecord> records, std::int64_t replays,
                                 std::int64_t nodes, std::optional<std::uint64_t> lost);

}  // namespace tilewright::measure
