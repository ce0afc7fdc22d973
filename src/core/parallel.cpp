#include "core/parallel.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace tilewright {

void parallel_for(int threads, std::int64_t count,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const std::int64_t parts = std::clamp<std::int64_t>(threads, 1, count);
  const auto start_of = [&](std::int64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(parts - 1));
  std::int64_t own_from = parts;  // parts from here on ran out of threads and are done here
  for (std::int64_t part = 1; part < parts; ++part) {
    try {
      workers.emplace_back([&, part] { body(start_of(part), start_of(part + 1)); });
    } catch (const std::exception&) {  // no thread, or no memory for one
      own_from = part;
      break;
    }
  }
  body(start_of(0), start_of(1));
  for (std::int64_t part = own_from; part < parts; ++part) body(start_of(part), start_of(part + 1));
  for (auto& worker : workers) worker.join();
}

}  // namespace tilewright
