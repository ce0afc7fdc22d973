// What a clock saw besides the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::measure {

struct SampleFacts {
  std::optional<std::int64_t> gap_ns;   // of a sample: time in it in which nothing ran (median)
  std::optional<std::int64_t> host_ns;  // what the host needed to enqueue a sample (mean)
  std::optional<std::uint64_t> lost;    // records that a profiler dropped, where it could tell
  bool overlaps = false;  // launches are chained so that one begins before the last has ended
  std::vector<std::string> kernels;  // distinct, in the order they first ran
};

}  // namespace tilewright::measure
