// Every SIMD row at every instruction set: types, orders, edges of tiles and blocks, number
// formats.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cpu/simd/rows.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"
#include "tests/ops/gemm_simd_harness.h"

namespace tilewright::tests {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16};

Order order_of(int bit) {
  return bit != 0 ? Order::kColMajor : Order::kRowMajor;
}

SimdCase with_orders(SimdCase test, int bits) {
  test.a_order = order_of(bits & 1);
  test.b_order = order_of(bits & 2);
  test.d_order = order_of(bits & 4);
  test.c_order = order_of(bits & 8);
  return test;
}

// All levels and rows that take the case; with the machine's caches and with small ones.
void expect_right(SimdRun& run, const SimdCase& test) {
  run.prepare(test);
  for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
    for (const DeviceInfo& chosen : {device, with_small_caches(device)}) {
      const std::string wrong = run_simd(run, test, row, chosen);
      ASSERT_TRUE(wrong.empty()) << wrong;
    }
  });
}

TEST(GemmSimd, every_type_and_order) {
  const std::int64_t sizes[] = {1, 2, 5, 7, 8, 9, 13, 16, 17, 29, 33};
  SimdRun run;
  std::uint32_t state = 7;
  const auto below = [&](std::uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % limit;
  };
  for (const DType a : kTypes) {
    for (const DType b : kTypes) {
      for (const DType d : kTypes) {
        for (int bits = 0; bits < 16; ++bits) {
          SimdCase test{.m = sizes[below(11)], .n = sizes[below(11)], .k = sizes[below(11)]};
          test.a = a, test.b = b, test.d = d;
          test.batch = 1 + below(3);
          test.padding = below(2) * 3;
          test.alpha = below(2) != 0 ? 1.0f : -0.75f;
          test.beta = below(2) != 0 ? 0.0f : 1.5f;
          test.c =
              test.beta == 0 ? CMatrix::kNull : (below(2) != 0 ? CMatrix::kApart : CMatrix::kIsD);
          test.at_end = below(2) != 0;
          test.seed = state;
          expect_right(run, with_orders(test, bits));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(GemmSimd, edges_of_register_tiles) {
  SimdRun run;
  int turn = 0;
  for (const std::int64_t m : {4, 5, 6, 11, 12, 13, 14, 15, 27, 28, 29, 43}) {
    for (const std::int64_t n : {7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 65}) {
      SimdCase test{.m = m, .n = n, .k = 19};
      test.seed = static_cast<std::uint32_t>(++turn);
      expect_right(run, with_orders(test, turn % 8));
      if (HasFatalFailure()) return;
    }
  }
}

// K in several blocks: sums are complete only after the last, whatever D's type and C.
TEST(GemmSimd, several_blocks_of_every_loop) {
  SimdRun run;
  int turn = 0;
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{37, 41, 401},
                                                                        {31, 70, 1025},
                                                                        {150, 33, 131},
                                                                        {1100, 9, 200},
                                                                        {20, 2100, 140},
                                                                        {8, 600, 2100},
                                                                        {700, 3, 300},
                                                                        {1, 1, 17000},
                                                                        {4200, 1, 66},
                                                                        {1, 4200, 70}}) {
    for (const DType d : kTypes) {
      for (const float beta : {0.0f, 0.5f}) {
        SimdCase test{.m = m, .n = n, .k = k, .d = d, .padding = 1, .beta = beta};
        test.c = beta == 0 ? CMatrix::kNull : turn % 2 == 0 ? CMatrix::kIsD : CMatrix::kApart;
        test.threads = 1 + turn % 4;
        test.a = kTypes[turn % 3];
        test.b = test.a;
        test.seed = static_cast<std::uint32_t>(++turn);
        expect_right(run, with_orders(test, turn % 16));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(GemmSimd, threads_share_out_every_shape) {
  SimdRun run;
  for (const int threads : {2, 3, 4, 7}) {
    for (const auto& [m, n, k, batch] :
         std::vector<std::array<std::int64_t, 4>>{{300, 200, 300, 1},
                                                  {15, 2000, 800, 1},
                                                  {2000, 15, 800, 1},
                                                  {60, 70, 900, 7},
                                                  {40, 40, 90, 40},
                                                  {3, 3000, 1700, 1},
                                                  {70, 2, 40000, 3}}) {
      SimdCase test{.m = m, .n = n, .k = k, .batch = batch, .threads = threads};
      run.prepare(test);
      for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        if (device.cpu.isa != simd_devices().back().cpu.isa) return;
        const std::string wrong = run_simd(run, test, row, device);
        ASSERT_TRUE(wrong.empty()) << wrong;
      });
      if (HasFatalFailure()) return;
    }
  }
}

// One 16-bit operand, all of its codes, times 1.
TEST(GemmSimd, reads_every_16_bit_code) {
  SimdRun run;
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const auto decode = [&](std::int64_t code) {
      const auto bits = static_cast<std::uint16_t>(code);
      return type == DType::kF16 ? numeric::f16_to_f32(bits) : numeric::bf16_to_f32(bits);
    };
    for (const std::int64_t n : {1, 9}) {
      for (int bits = 0; bits < 2; ++bits) {
        const SimdCase test = with_orders({.m = 65536, .n = n, .k = 1, .a = type}, bits);
        const auto one = [](std::int64_t, std::int64_t, std::int64_t) { return 1.0f; };
        run.prepare(
            test, [&](auto, std::int64_t row, auto) { return decode(row); }, one);
        for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
          ASSERT_TRUE(run.launch(row, device).ok());
          for (std::int64_t code = 0; code < 65536; ++code) {
            const double right = decode(code), got = run.d(0, code, n - 1);
            ASSERT_TRUE(got == right || (std::isnan(got) && std::isnan(right)))
                << row.name << " " << isa_name(device) << ": code " << code << " is " << right
                << ", got " << got;
          }
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Every 16-bit code, the middle to the next code, and the floats beside both.
TEST(GemmSimd, rounds_to_nearest_even) {
  SimdRun run;
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const auto decode = [&](std::int64_t code) {
      const auto bits = static_cast<std::uint16_t>(code);
      return type == DType::kF16 ? numeric::f16_to_f32(bits) : numeric::bf16_to_f32(bits);
    };
    std::vector<float> values;
    for (std::int64_t code = 0; code < 65536; ++code) {
      const float low = decode(code), high = decode(code ^ 1);
      const float infinity = std::numeric_limits<float>::infinity();
      for (const float x : {low, 0.5f * low + 0.5f * high}) {
        values.push_back(x);
        values.push_back(std::nextafter(x, infinity));
        values.push_back(std::nextafter(x, -infinity));
      }
    }
    for (const float x : {65519.99f, 65520.0f, 70000.0f, 1e38f, 0x1p-25f, 0x1p-26f}) {
      values.push_back(x);
      values.push_back(-x);
    }
    const auto rows = static_cast<std::int64_t>(values.size());
    for (const std::int64_t n : {1, 9}) {
      const SimdCase test{.m = rows, .n = n, .k = 1, .d = type};
      const auto one = [](std::int64_t, std::int64_t, std::int64_t) { return 1.0f; };
      run.prepare(
          test, [&](auto, std::int64_t row, auto) { return values[static_cast<std::size_t>(row)]; },
          one);
      for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        ASSERT_TRUE(run.launch(row, device).ok());
        for (std::int64_t i = 0; i < rows; ++i) {
          const float value = values[static_cast<std::size_t>(i)];
          const double right = decode(type == DType::kF16 ? numeric::f16_from_f32(value)
                                                          : numeric::bf16_from_f32(value));
          const double got = run.d(0, i, n - 1);
          ASSERT_TRUE(got == right || (std::isnan(got) && std::isnan(right)))
              << row.name << " " << isa_name(device) << ": " << value << " rounds to " << right
              << ", got " << got;
        }
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GemmSimd, refusals_say_why) {
  const DeviceInfo device = cpu_device();
  SimdRun run;
  run.prepare({.m = 64, .n = 65, .k = 8});
  GemmProblem problem = run.problem();
  const auto& thin = gemm_simd_rows()[0];
  const auto& packed = gemm_simd_rows()[1];
  EXPECT_EQ(thin.reject(problem, device), "min(m, n) = 64 is above 8");
  EXPECT_EQ(packed.reject(problem, device), "");
  problem.n = 8;
  EXPECT_EQ(thin.reject(problem, device), "");
  problem.b.type = DType::kE4M3;
  EXPECT_EQ(thin.reject(problem, device), "b is e4m3; this kernel takes f32, f16 and bf16");
  EXPECT_EQ(packed.reject(problem, device), "b is e4m3; this kernel takes f32, f16 and bf16");
}

}  // namespace
}  // namespace tilewright::tests
