// The cards that can be planned for without having one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "tilewright/device.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Cards, FiguresOfTheH200) {
  const DeviceInfo h200 = *card("h200");
  EXPECT_EQ(h200.backend, Backend::kCuda);
  EXPECT_EQ(h200.compute_capability(), 90);
  EXPECT_EQ(h200.gpu.sm_count, 132);
  EXPECT_EQ(h200.gpu.sm_clock_khz, 1980000);
  EXPECT_EQ(h200.gpu.l2_bytes, 62914560);
  EXPECT_EQ(h200.gpu.shared_per_block_bytes, 232448);
  EXPECT_EQ(h200.gpu.memory_bus_bits, 6144);
}

// Bandwidth of memory as the datasheets give it, in GB/s, against clock x 2 x bus / 8.
TEST(Cards, MemoryClockTimesBusIsTheDatasheetsBandwidth) {
  struct Known {
    std::string_view name;
    double bandwidth;
  };
  for (const Known& known :
       {Known{"t4", 320}, Known{"a100", 2039}, Known{"a10", 600}, Known{"rtx3090", 936},
        Known{"l4", 300}, Known{"l40s", 864}, Known{"rtx4090", 1008}, Known{"h100", 3352},
        Known{"h200", 4800}, Known{"b200", 8000}, Known{"rtx5090", 1792}}) {
    const GpuInfo gpu = card(known.name)->gpu;
    const double bandwidth = gpu.memory_clock_khz * 1e3 * 2 * gpu.memory_bus_bits / 8 / 1e9;
    EXPECT_NEAR(bandwidth / known.bandwidth, 1.0, 0.03) << known.name;
  }
}

TEST(Cards, EveryNameIsKnownInAnyCaseAndComplete) {
  for (const std::string_view name : card_names()) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    const auto found = card(upper);
    ASSERT_TRUE(found.ok()) << found.status().message();
    const GpuInfo& gpu = found->gpu;
    EXPECT_GE(gpu.sm_count, 40) << name;
    EXPECT_GE(gpu.l2_bytes, 4 << 20) << name;
    EXPECT_GE(gpu.memory_bytes, std::int64_t{16} << 30) << name;
    EXPECT_GE(gpu.shared_per_sm_bytes, gpu.shared_per_block_bytes) << name;
    EXPECT_GE(gpu.shared_per_block_bytes, 64 << 10) << name;
  }
}

TEST(Cards, UnknownNameIsAnsweredWithTheKnown) {
  for (const std::string_view name : {"", "h2000", "gtx"}) {
    const Status status = card(name).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("card = \"" + std::string(name) + "\""),
                                        HasSubstr("a100"), HasSubstr("h200")));
  }
}

}  // namespace
}  // namespace tilewright
