// Threads for the host side of checking and filling; never used while something is timed.
#pragma once

#include <cstdint>
#include <functional>

namespace tilewright::measure {

// Calls body(first, last) on contiguous ranges that cover [0, count), on as many threads as this
// process may use; on the calling thread alone where `count` x `cost` (rough operations for one)
// would not pay for starting them. Ranges are disjoint; `body` must not throw.
void for_ranges(std::int64_t count, std::int64_t cost,
                const std::function<void(std::int64_t first, std::int64_t last)>& body);

}  // namespace tilewright::measure
