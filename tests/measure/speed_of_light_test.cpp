#include "measure/stats/speed_of_light.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::measure {
namespace {

using ::testing::HasSubstr;

DeviceInfo h200() {
  DeviceInfo device = *card("h200");
  device.gpu.memory_clock_khz = 3'201'000;
  device.gpu.memory_bus_bits = 6144;
  return device;
}

TEST(SpeedOfLight, ArithmeticBindsLargeProductsAndBytesThinOnes) {
  const Bandwidths measured{4500, 4250};
  const GemmProblem cube = default_gemm(4096, 4096, 4096, DType::kF16, DType::kF16);
  const SpeedOfLight large = speed_of_light(cube, h200(), 1400.0, measured);
  // 2 x 4096^3 / (132 SMs x 4096 FLOP x 1.4 GHz)
  EXPECT_NEAR(large.arithmetic_ns.value(), 181'571.6, 0.1);
  EXPECT_EQ(large.binds, "arithmetic");
  EXPECT_EQ(large.time_ns, large.arithmetic_ns);
  const GemmProblem thin = default_gemm(1, 4096, 4096, DType::kF16, DType::kF16);
  const SpeedOfLight few = speed_of_light(thin, h200(), 1980.0, measured);
  EXPECT_EQ(few.binds, "bytes");
  EXPECT_NEAR(few.time_ns.value(),
              2.0 * (4096 + 4096 * 4096) / 4500 + 8192 * (2 / 4250.0 - 1 / 4500.0), 1e-6);
}

TEST(SpeedOfLight, ASharedMatrixIsReadOnce) {
  GemmProblem batched = default_gemm(16, 16, 16, DType::kF16, DType::kF32);
  batched.batch = 4;
  batched.a.batch_stride = batched.d.batch_stride = 256;
  batched.b.batch_stride = 0;
  const Traffic traffic = traffic_of(batched);
  EXPECT_EQ(traffic.read_bytes, 2 * 256 * 4 + 2 * 256);
  EXPECT_EQ(traffic.written_bytes, 4 * 256 * 4);
}

TEST(SpeedOfLight, WhatIsNotKnownIsAbsent) {
  const GemmProblem problem = default_gemm(64, 64, 64, DType::kF32, DType::kF32);
  const SpeedOfLight nothing = speed_of_light(problem, cpu_device(), std::nullopt, {});
  EXPECT_FALSE(nothing.time_ns.has_value());
  EXPECT_EQ(nothing.binds, "");
  const SpeedOfLight bytes = speed_of_light(problem, cpu_device(), std::nullopt, {20, 15});
  EXPECT_FALSE(bytes.arithmetic_ns.has_value());
  EXPECT_EQ(bytes.binds, "bytes");
  EXPECT_FALSE(flops_per_clock(90, DType::kI8).has_value());
  EXPECT_FALSE(flops_per_clock(70, DType::kF16).has_value());
  EXPECT_EQ(flops_per_clock(90, DType::kBF16), 4096);
  EXPECT_EQ(flops_per_clock(80, DType::kF32), 128);
}

// Rates against the peaks that NVIDIA gives for cards of those architectures; Blackwell as numbers.
TEST(SpeedOfLight, RatesMultiplyToThePublishedPeaks) {
  struct Published {
    int compute_capability, sms;
    double half_ghz, half_tflops, single_ghz, single_tflops;
  };
  for (const Published& card : {Published{80, 108, 1.41, 312, 1.41, 19.5},       // A100
                                Published{86, 84, 1.74, 149.7, 1.74, 37.4},      // A40
                                Published{89, 142, 2.49, 362, 2.49, 90.5},       // L40
                                Published{90, 132, 1.83, 989.4, 1.98, 66.9}}) {  // H100 SXM
    const auto tflops = [&](DType type, double ghz) {
      return flops_per_clock(card.compute_capability, type).value() * card.sms * ghz * 1e-3;
    };
    EXPECT_NEAR(tflops(DType::kF16, card.half_ghz) / card.half_tflops, 1, 0.005)
        << card.compute_capability;
    EXPECT_NEAR(tflops(DType::kBF16, card.half_ghz) / card.half_tflops, 1, 0.005);
    EXPECT_NEAR(tflops(DType::kF32, card.single_ghz) / card.single_tflops, 1, 0.005)
        << card.compute_capability;
  }
  for (const int compute_capability : {100, 103}) {
    EXPECT_EQ(flops_per_clock(compute_capability, DType::kF16), 8192);
    EXPECT_EQ(flops_per_clock(compute_capability, DType::kF32), 256);
  }
  EXPECT_EQ(flops_per_clock(120, DType::kBF16), 1024);
  EXPECT_EQ(flops_per_clock(120, DType::kF32), 256);
}

TEST(Cases, B14_ATimeThatNoCardCanHaveIsTold) {
  const GemmProblem cube = default_gemm(4096, 4096, 4096, DType::kF16, DType::kF16);
  // 128 us at 1980 MHz is the least.
  EXPECT_EQ(impossible(cube, h200(), 200'000, 1980, true), "");
  EXPECT_THAT(impossible(cube, h200(), 20'000, 1980, true),
              HasSubstr("above peak: 20 us, and the arithmetic alone needs 128 us at 1980 MHz"));
  // 33.6 MB take 6.8 us at 4917 GB/s; from the cache they may be had sooner.
  const GemmProblem thin = default_gemm(1, 4096, 4096, DType::kF16, DType::kF16);
  EXPECT_THAT(impossible(thin, h200(), 5'000, 1980, true), HasSubstr("at the memory's 4917 GB/s"));
  EXPECT_EQ(impossible(thin, h200(), 5'000, 1980, false), "");
  EXPECT_EQ(impossible(thin, h200(), 7'500, 1980, true), "");
  EXPECT_EQ(impossible(thin, cpu_device(), 1, std::nullopt, true), "");
}

}  // namespace
}  // namespace tilewright::measure
