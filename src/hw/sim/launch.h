// Launching a kernel in the simulator: refusals that a card makes too, then all clusters.
#pragma once

#include "hw/attributes.h"
#include "hw/launch_shape.h"
#include "hw/sim/grid_run.h"
#include "tilewright/status.h"

namespace tilewright::hw::sim {
Status check_launch(const LaunchShape& shape, const LaunchContext& context);
}  // namespace tilewright::hw::sim

namespace tilewright::hw::inline TW_TARGET {

template <class Params>
Status launch(void (*kernel)(Params), const Params& params, const LaunchShape& shape,
              const LaunchContext& context) {
  if (Status status = sim::check_launch(shape, context); !status.ok()) return status;
  return sim::run_grid({.name = context.name,
                        .blocks = static_cast<unsigned>(shape.blocks),
                        .threads = shape.threads,
                        .shared_bytes = shape.shared_bytes,
                        .cluster = shape.cluster,
                        .sim = &context.device.sim,
                        .os_threads = context.device.cpu.cores,
                        .memory = context.memory,
                        .body = [&] { kernel(params); }});
}

}  // namespace tilewright::hw::inline TW_TARGET
