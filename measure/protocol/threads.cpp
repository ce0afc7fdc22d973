#include "measure/protocol/threads.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "tilewright/device.h"

namespace tilewright::measure {

void for_ranges(std::int64_t count, std::int64_t cost,
                const std::function<void(std::int64_t first, std::int64_t last)>& body) {
  static const int cores = cpu_device().cpu.cores;
  constexpr std::int64_t kWorthAThread = 1 << 18;
  const double work = static_cast<double>(count) * static_cast<double>(cost);
  const auto wanted = static_cast<std::int64_t>(std::min(work / kWorthAThread, 1e6)) + 1;
  const std::int64_t parts = std::min<std::int64_t>({wanted, cores, count});
  if (parts <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  std::vector<std::thread> threads;
  for (std::int64_t part = 1; part < parts; ++part) {
    threads.emplace_back([&, part] { body(count * part / parts, count * (part + 1) / parts); });
  }
  body(0, count / parts);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tilewright::measure
