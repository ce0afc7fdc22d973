// Threads for CPU kernels: started for the call and joined before it returns. Nothing survives a
// call, so nothing can be missing after fork() and no thread oversubscribes another caller's.
// Starting one costs some 20 us: give one thread to work that is shorter than a few of those.
#pragma once

#include <cstdint>
#include <functional>

namespace tilewright {

// Splits [0, count) into at most `threads` contiguous ranges of nearly equal length and calls
// body(first, last) for each, one of them on the calling thread. `body` must not throw.
void parallel_for(int threads, std::int64_t count,
                  const std::function<void(std::int64_t first, std::int64_t last)>& body);

}  // namespace tilewright
