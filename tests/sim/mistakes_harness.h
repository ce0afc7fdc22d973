// Little kernels with one mistake each: the simulator must stop every run of them with a sentence,
// and let the same kernel without the mistake pass.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/launch.h"
#include "tilewright/device.h"

namespace tilewright::test {

// What the kernels work on.
struct Memory {
  alignas(256) std::uint32_t given[4096] = {};
  alignas(256) std::uint32_t nobodys[64] = {};  // between the two
  alignas(256) std::uint32_t out[4096] = {};

  std::vector<MemoryRange> ranges() const {
    return {{given, sizeof(given), false, "the given words"},
            {out, sizeof(out), true, "the output"}};
  }
};

struct SmallParams {
  hw::Global<const std::uint32_t> given;
  hw::Global<std::uint32_t> out;
};

inline constexpr SimCopies kAllCopies[] = {SimCopies::kEarly, SimCopies::kLate, SimCopies::kRandom};

template <class Params>
Status simulate(void (*kernel)(Params), const Params& params, const hw::LaunchShape& shape,
                const SimInfo& sim, const std::vector<MemoryRange>& ranges) {
  DeviceInfo device = *sim_device("h200");
  device.sim = sim;
  return hw::launch(kernel, params, shape,
                    {.name = "small", .device = device, .stream = {}, .memory = ranges});
}

inline Status run_small(void (*kernel)(SmallParams), const hw::LaunchShape& shape,
                        const SimInfo& sim, Memory& memory) {
  for (std::uint32_t i = 0; i < 4096; ++i) memory.given[i] = i * 2654435761u;
  return simulate(kernel, SmallParams{{memory.given}, {memory.out}}, shape, sim, memory.ranges());
}

// Under every copy timing and several seeds.
inline void expect_passes(void (*kernel)(SmallParams), const hw::LaunchShape& shape) {
  for (const SimCopies copies : kAllCopies) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Memory memory;
      const Status status = run_small(kernel, shape, {.seed = seed, .copies = copies}, memory);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
}

inline void expect_stopped(void (*kernel)(SmallParams), const hw::LaunchShape& shape,
                           const std::string& sentence) {
  for (const SimCopies copies : kAllCopies) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Memory memory;
      const Status status = run_small(kernel, shape, {.seed = seed, .copies = copies}, memory);
      EXPECT_EQ(status.code(), StatusCode::kDeviceError);
      EXPECT_THAT(status.message(), testing::ContainsRegex(sentence)) << name_of(copies);
      EXPECT_THAT(status.message(), testing::HasSubstr("simulated small, seed"));
    }
  }
}

}  // namespace tilewright::test
