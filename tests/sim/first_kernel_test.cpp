// The kernel that docs/simulator.md begins with.
#include <gtest/gtest.h>

#include "hw/barrier.h"
#include "hw/copy.h"
#include "hw/global.h"
#include "hw/index.h"
#include "hw/launch.h"
#include "hw/shared.h"

namespace tilewright::test {
namespace {

struct ReverseParams {
  hw::Global<const float> in;
  hw::Global<float> out;
};

// A block turns 256 floats round.
TW_KERNEL(64, 1)
reverse(const ReverseParams p) {
  const auto tile = hw::dynamic_shared<float>();
  const int thread = hw::thread_index();
  const auto first = std::int64_t{hw::block_index()} * 256;
  hw::cp_async_16(tile + thread * 4, p.in + first + thread * 4, 16);
  hw::cp_async_commit();
  hw::cp_async_wait<0>();  // this thread's 16 bytes are there
  hw::sync_threads();      // and everybody's
  for (int i = 0; i < 4; ++i) p.out[first + thread * 4 + i] = tile[255 - thread * 4 - i];
}

TEST(FirstKernel, RunsUnderManySchedules) {
  alignas(16) float in[1024], out[1024];
  for (int i = 0; i < 1024; ++i) in[i] = static_cast<float>(i);
  const MemoryRange memory[] = {{in, sizeof(in), false, "in"}, {out, sizeof(out), true, "out"}};
  for (const SimCopies copies : {SimCopies::kEarly, SimCopies::kLate, SimCopies::kRandom}) {
    DeviceInfo device = *sim_device("h200");
    device.sim.copies = copies;
    const Status status = hw::launch(
        reverse, ReverseParams{{in}, {out}}, {.blocks = 4, .threads = 64, .shared_bytes = 1024},
        {.name = "reverse", .device = device, .stream = {}, .memory = memory});
    ASSERT_TRUE(status.ok()) << status.message();
    for (int i = 0; i < 1024; ++i) EXPECT_EQ(out[i], in[i / 256 * 256 + 255 - i % 256]);
  }
}

}  // namespace
}  // namespace tilewright::test
