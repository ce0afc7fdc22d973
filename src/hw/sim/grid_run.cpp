#include "hw/sim/grid_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>

#include "core/parallel.h"
#include "hw/sim/synchronisation.h"

namespace tilewright::hw::sim {
namespace {

std::atomic<bool> collecting = false;
std::mutex& places_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::set<std::string>& places() {
  static std::set<std::string> set;
  return set;
}

// The first cluster that failed, whatever the number of OS threads.
struct Failure {
  std::mutex mutex;
  std::atomic<unsigned> cluster = std::numeric_limits<unsigned>::max();
  std::string sentence;

  void note(unsigned index, std::string what) {
    const std::lock_guard lock(mutex);
    if (index >= cluster) return;
    cluster = index;
    sentence = std::move(what);
  }
};

}  // namespace

std::string Site::name() const {
  const std::string path = file;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line);
}

bool is_dropped(Site at) {
  if (collecting) {
    const std::lock_guard lock(places_mutex());
    places().insert(at.name());
  }
  const std::string& dropped = Machine::now().grid().sim->drop_site;
  return !dropped.empty() && dropped == at.name();
}

SyncPlaces::SyncPlaces() {
  places().clear();
  collecting = true;
}
SyncPlaces::~SyncPlaces() {
  collecting = false;
}
std::vector<std::string> SyncPlaces::names() const {
  const std::lock_guard lock(places_mutex());
  return {places().begin(), places().end()};
}

Status run_grid(const GridRun& grid) {
  const unsigned clusters = grid.blocks / static_cast<unsigned>(grid.cluster);
  const int threads = std::max(1, grid.sim->threads > 0 ? grid.sim->threads : grid.os_threads);
  Failure failure;
  std::atomic<unsigned> next = 0;
  parallel_for(threads, threads, [&](std::int64_t, std::int64_t) {
    static thread_local Machine machine;  // keeps its stacks from launch to launch
    for (unsigned index = next++; index < clusters && index < failure.cluster; index = next++) {
      if (std::string what = machine.run(grid, index); !what.empty()) {
        failure.note(index, std::move(what));
      }
    }
  });
  if (failure.sentence.empty()) return {};
  return {StatusCode::kDeviceError,
          fmt::format("simulated {}, seed {}, copies {}: {}", grid.name, grid.sim->seed,
                      name_of(grid.sim->copies), failure.sentence)};
}

}  // namespace tilewright::hw::sim
