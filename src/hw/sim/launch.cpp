#include "hw/sim/launch.h"

#include <fmt/format.h>

namespace tilewright::hw::sim {

Status check_launch(const LaunchShape& shape, const LaunchContext& context) {
  const auto refuse = [&](std::string why) {
    return Status{StatusCode::kDeviceError, fmt::format("launching {}: {}", context.name, why)};
  };
  constexpr std::uint64_t kMostBlocks = 0x7fffffff;
  constexpr int kMostThreads = 1024, kMostCluster = 16;
  if (shape.blocks < 1 || shape.blocks > kMostBlocks) {
    return refuse(fmt::format("a grid of {} blocks; 1 to 2^31 - 1 are accepted", shape.blocks));
  }
  if (shape.threads < 1 || shape.threads > kMostThreads) {
    return refuse(fmt::format("blocks of {} threads; 1 to 1024 are accepted", shape.threads));
  }
  const std::int64_t most_shared = context.device.gpu.shared_per_block_bytes;
  if (shape.shared_bytes < 0 || shape.shared_bytes > most_shared) {
    return refuse(fmt::format("{} bytes of shared memory a block; {} are there", shape.shared_bytes,
                              most_shared));
  }
  if (shape.cluster < 1 || shape.cluster > kMostCluster ||
      (shape.cluster > 1 && context.device.compute_capability() < 90)) {
    return refuse(fmt::format("clusters of {} blocks on compute capability {}", shape.cluster,
                              context.device.compute_capability()));
  }
  if (shape.blocks % static_cast<std::uint64_t>(shape.cluster) != 0) {
    return refuse(fmt::format("{} blocks are no whole number of clusters of {}", shape.blocks,
                              shape.cluster));
  }
  return {};
}

}  // namespace tilewright::hw::sim
