#include "tests/ops/gemm_cases_harness.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tilewright::tests {
namespace {

constexpr Order kRow = Order::kRowMajor;
constexpr Order kCol = Order::kColMajor;
constexpr DType kF16 = DType::kF16;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

GemmCase packed_case(std::int64_t m, std::int64_t n, std::int64_t k, Order a, Order b, Order d) {
  GemmCase test;
  test.problem = packed_gemm(m, n, k, kF16, kF16, a, b, d);
  test.seed = test_seed();
  return test;
}

}  // namespace

void g01_odd_sizes(const DeviceInfo& device) {
  const float right[2][4] = {{10, 28, 46, 64}, {13, 40, 67, 94}};
  GemmCase test = packed_case(2, 4, 3, kCol, kCol, kCol);
  test.a = [](std::int64_t, std::int64_t i, std::int64_t k) {
    return static_cast<float>(i + 2 * k);
  };
  test.b = [](std::int64_t, std::int64_t k, std::int64_t j) {
    return static_cast<float>(k + 3 * j);
  };
  test.exact = [&](std::int64_t, std::int64_t i, std::int64_t j) { return right[i][j]; };
  expect_right_everywhere(test, device);

  // The same memory read as row-major matrices is the product of the transposes.
  GemmCase transposed = packed_case(4, 2, 3, kRow, kRow, kRow);
  transposed.a = [&](std::int64_t, std::int64_t i, std::int64_t k) { return test.b(0, k, i); };
  transposed.b = [&](std::int64_t, std::int64_t k, std::int64_t j) { return test.a(0, j, k); };
  transposed.exact = [&](std::int64_t, std::int64_t i, std::int64_t j) { return right[j][i]; };
  expect_right_everywhere(transposed, device);

  expect_right_everywhere(packed_case(1, 705, 705, kCol, kCol, kCol), device);
  expect_right_everywhere(packed_case(1, 705, 705, kRow, kRow, kRow), device);
}

void g04_smallest_tile(const DeviceInfo& device) {
  for (const std::int64_t side : {128, 64}) {
    for (const Order b : {kRow, kCol}) {
      GemmCase test = packed_case(side, side, 64, kRow, b, kRow);
      const auto stamp = [](std::int64_t, std::int64_t i, std::int64_t) {
        return static_cast<float>(i) / 128;  // a permuted row shows which row landed there
      };
      test.a = stamp;
      test.b = [](std::int64_t, std::int64_t k, std::int64_t j) {
        return j % 64 == k ? 1.0f : 0.0f;
      };
      test.exact = stamp;
      expect_right_everywhere(test, device);
    }
  }
}

void g06_row_pitch(const DeviceInfo& device) {
  for (const std::int64_t k : {509, 510, 511, 512}) {
    GemmCase test;
    test.problem = packed_gemm(256, 256, k, DType::kBF16, DType::kBF16, kRow, kRow, kRow);
    test.seed = test_seed();
    expect_right_everywhere(test, device);
  }
}

void g07_views(const DeviceInfo& device) {
  for (const Order b : {kRow, kCol}) {
    GemmCase window = packed_case(64, 64, 64, kRow, b, kRow);
    window.problem.a.ld = 65;
    expect_right_everywhere(window, device);

    GemmCase odd_base = packed_case(64, 64, 64, kRow, b, kRow);
    odd_base.problem.a.alignment_bytes = 2;
    expect_right_everywhere(odd_base, device);

    expect_right_everywhere(packed_case(60, 64, 64, kCol, b, kRow), device);
    expect_right_everywhere(packed_case(1, 64, 64, kRow, b, kRow), device);
  }
}

void g09_beta_zero_ignores_c(const DeviceInfo& device) {
  for (const auto& [m, n, k] : {std::array{512, 512, 512}, std::array{500, 516, 484}}) {
    for (const float left : {kNan, kInf}) {
      GemmCase test = packed_case(m, n, k, kRow, kRow, kRow);
      for (Operand* layout : {&test.problem.a, &test.problem.b, &test.problem.c, &test.problem.d}) {
        layout->ld = (layout->ld + 7) / 8 * 8;
      }
      test.c = test.d_before = all(left);
      test.c_source = CSource::kApart;
      expect_right_everywhere(test, device);
      test.c_source = CSource::kIsD;
      expect_right_everywhere(test, device);
      test.c_source = CSource::kNone;
      expect_right_everywhere(test, device);
    }
  }
}

void g10_alpha_zero_ignores_a_and_b(const DeviceInfo& device) {
  for (const CSource source : {CSource::kApart, CSource::kIsD}) {
    for (const float beta : {1.0f, 0.0f, 0.5f}) {
      GemmCase test = packed_case(33, 33, 33, kRow, kRow, kRow);
      for (Operand* layout : {&test.problem.a, &test.problem.b, &test.problem.c, &test.problem.d}) {
        layout->ld = 40;
      }
      test.alpha = 0;
      test.beta = beta;
      test.a = test.b = all(kNan);
      test.c_source = source;
      // Eighths up to 8: C and half of it are exact in fp16.
      test.c = [](std::int64_t, std::int64_t i, std::int64_t j) {
        return static_cast<float>((i * 7 + j * 3) % 65) / 8;
      };
      test.exact = [&](std::int64_t, std::int64_t i, std::int64_t j) {
        return beta == 0 ? 0.0f : beta * test.c(0, i, j);
      };
      expect_right_everywhere(test, device);
      test.null_inputs = true;
      expect_right_everywhere(test, device);
    }
  }
}

void g11_k_zero(const DeviceInfo& device) {
  GemmCase batch = packed_case(1, 43200, 0, kRow, kRow, kRow);
  batch.problem.batch = 10;
  stack_batch(batch.problem);
  batch.null_inputs = true;
  batch.d_before = [random = Random(test_seed())](std::int64_t, std::int64_t,
                                                  std::int64_t) mutable {
    return random.uniform();
  };
  batch.exact = all(0);
  expect_right_everywhere(batch, device);

  GemmCase kept = packed_case(3, 3, 0, kRow, kRow, kRow);
  kept.beta = 1;
  kept.null_inputs = true;
  kept.c = [](std::int64_t, std::int64_t i, std::int64_t j) {
    return static_cast<float>(3 * i - j);
  };
  kept.exact = kept.c;
  for (const CSource source : {CSource::kApart, CSource::kIsD}) {
    kept.c_source = source;
    expect_right_everywhere(kept, device);
  }

  GemmCase cleared = kept;
  cleared.beta = 0;
  cleared.c = cleared.d_before = all(kNan);
  cleared.exact = all(0);
  expect_right_everywhere(cleared, device);
}

void g13_large_batch(const DeviceInfo& device) {
  for (const std::int64_t batch : {65536, 131073}) {
    GemmCase test = packed_case(8, 8, 64, kRow, kRow, kRow);
    test.problem.batch = batch;
    stack_batch(test.problem);
    if (batch > 65536 && device.backend == Backend::kCuda) {  // the limit is a grid's
      expect_right_everywhere(test, device);
    } else {
      const Outcome chosen = run_and_check(test, device, "");
      EXPECT_EQ(chosen.text, "") << describe(test);
    }
  }
}

void g18_accumulator_width(const DeviceInfo& device) {
  for (const Order b : {kRow, kCol}) {
    GemmCase ones = packed_case(16, 16, 4096, kRow, b, kRow);
    ones.a = ones.b = all(1);
    ones.exact = all(4096);
    expect_right_everywhere(ones, device);

    GemmCase cancelling = packed_case(16, 16, 64, kRow, b, kRow);
    cancelling.a = all(200);
    cancelling.b = [](std::int64_t, std::int64_t k, std::int64_t) {
      return k < 32 ? 200.0f : -200.0f;
    };
    cancelling.exact = all(0);
    expect_right_everywhere(cancelling, device);
  }
}

}  // namespace tilewright::tests
