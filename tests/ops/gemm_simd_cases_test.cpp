// Cases of real reports on the SIMD rows, each named after the report's id.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "cpu/simd/rows.h"
#include "tests/ops/gemm_simd_harness.h"

namespace tilewright::tests {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Value all(float value) {
  return [value](std::int64_t, std::int64_t, std::int64_t) { return value; };
}

TEST(GemmSimd, C04_beta_zero_never_reads_c) {
  SimdRun run;
  for (const std::int64_t n : {1, 7, 100, 101}) {
    for (const CMatrix c : {CMatrix::kApart, CMatrix::kIsD}) {
      const SimdCase test{.m = n, .n = n, .k = n, .beta = 0.0f, .c = c};
      run.prepare(test);
      for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        run.prepare(test, {}, {}, all(kNaN));
        ASSERT_TRUE(run.launch(row, device).ok());
        EXPECT_EQ(run.check(), "") << row.name << " " << isa_name(device) << " n=" << n;
      });
    }
  }
}

TEST(GemmSimd, C04_alpha_or_k_zero_never_reads_a_and_b) {
  SimdRun run;
  for (const std::int64_t n : {1, 7, 100, 101}) {
    for (const std::int64_t k : {std::int64_t{0}, n}) {
      for (const float beta : {0.0f, 1.0f, 0.5f}) {
        SimdCase test{.m = n, .n = n, .k = k, .d = n == 7 ? DType::kF16 : DType::kF32};
        test.alpha = k == 0 ? 1.0f : 0.0f;
        test.beta = beta;
        test.c = n == 100 ? CMatrix::kApart : CMatrix::kIsD;
        test.c_order = Order::kColMajor;
        run.prepare(test);
        for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
          run.prepare(test, all(kNaN), all(kNaN), all(3.0f));
          run.args().a = run.args().b = nullptr;
          ASSERT_TRUE(run.launch(row, device).ok());
          EXPECT_EQ(run.check(), "") << row.name << " " << isa_name(device) << " n=" << n;
          EXPECT_EQ(run.d(0, n - 1, n - 1), 3.0 * beta);
        });
      }
    }
  }
}

// A NaN stays in its row, an infinity in its column, and the padding of edge tiles in no one's.
TEST(GemmSimd, G33_nan_stays_where_it_belongs) {
  SimdRun run;
  for (const std::int64_t n : {3, 100}) {
    const SimdCase test{.m = 100, .n = n, .k = 72, .padding = 28};
    run.prepare(test);
    for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
      run.prepare(
          test, [](auto, std::int64_t r, std::int64_t c) { return r == 3 && c == 5 ? kNaN : 1.0f; },
          [](auto, std::int64_t r, std::int64_t c) {
            return r == 7 && c == 1 ? std::numeric_limits<float>::infinity() : 0.5f;
          });
      ASSERT_TRUE(run.launch(row, device).ok());
      for (std::int64_t r = 0; r < 100; ++r) {
        for (std::int64_t c = 0; c < n; ++c) {
          const double got = run.d(0, r, c);
          ASSERT_TRUE(r == 3   ? std::isnan(got)
                      : c == 1 ? std::isinf(got)
                               : got == 36.0)
              << row.name << " " << isa_name(device) << " d[" << r << "][" << c << "] = " << got;
        }
      }
    });
  }
}

TEST(GemmSimd, C06_reads_nothing_past_the_buffers) {
  SimdRun run;
  std::uint32_t turn = 0;
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
  for (std::int64_t m = 1; m <= 17; ++m) {
    for (std::int64_t n = 1; n <= 17; ++n) {
      for (std::int64_t k = 1; k <= 17; ++k) {
        SimdCase test{.m = m, .n = n, .k = k};
        for (const bool at_end : {true, false}) {
          ++turn;
          test.a = kTypes[turn % 3], test.b = kTypes[turn / 3 % 3], test.d = kTypes[turn / 9 % 3];
          test.a_order = turn % 2 == 0 ? Order::kRowMajor : Order::kColMajor;
          test.b_order = turn / 2 % 2 == 0 ? Order::kRowMajor : Order::kColMajor;
          test.d_order = turn / 4 % 2 == 0 ? Order::kRowMajor : Order::kColMajor;
          test.c_order = turn / 8 % 2 == 0 ? Order::kRowMajor : Order::kColMajor;
          test.beta = turn % 5 == 0 ? 1.0f : 0.0f;
          test.c = turn % 5 == 0 ? CMatrix::kApart : CMatrix::kNull;
          test.at_end = at_end;
          test.seed = turn;
          run.prepare(test);
          for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
            const std::string wrong = run_simd(run, test, row, device);
            ASSERT_TRUE(wrong.empty()) << wrong;
          });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(GemmSimd, C06_wide_leading_dimension_of_a_vector) {
  SimdRun run;
  for (const bool at_end : {true, false}) {
    const SimdCase test{.m = 126, .n = 1, .k = 126, .padding = 31509 - 1, .at_end = at_end};
    run.prepare(test);
    ASSERT_EQ(run.problem().b.ld, 31509);
    for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
      EXPECT_EQ(run_simd(run, test, row, device), "");
    });
  }
}

TEST(GemmSimd, C07_two_by_one) {
  SimdRun run;
  const SimdCase test{.m = 2, .n = 1, .k = 1};
  run.prepare(test);
  for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
    run.prepare(test, all(1.0f), all(2.0f));
    ASSERT_TRUE(run.launch(row, device).ok());
    EXPECT_EQ(run.d(0, 0, 0), 2.0);
    EXPECT_EQ(run.d(0, 1, 0), 2.0);
  });
}

// A thread costs more than a small product, so none is started whatever is allowed.
TEST(GemmSimd, C10_small_products_start_no_thread) {
  SimdRun run;
  for (const std::int64_t n : {4, 8, 16, 23, 32, 64}) {
    const SimdCase test{.m = n, .n = n, .k = n, .threads = 8};
    run.prepare(test);
    for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
      const std::int64_t before = other_threads_ns();
      for (int i = 0; i < 200; ++i) ASSERT_TRUE(run.launch(row, device).ok());
      EXPECT_LT(other_threads_ns() - before, 200'000) << row.name << " n=" << n;
    });
  }
}

TEST(GemmSimd, C11_one_thread_where_one_is_allowed) {
  SimdRun run;
  for (const std::int64_t n : {8, 512}) {
    for (const int threads : {1, 2}) {
      const SimdCase test{.m = 2048, .n = n, .k = 512, .threads = threads};
      run.prepare(test);
      for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        const std::int64_t before = other_threads_ns();
        ASSERT_TRUE(run.launch(row, device).ok());
        if (threads == 1) {
          EXPECT_LT(other_threads_ns() - before, 20'000) << row.name;
        } else {
          EXPECT_GT(other_threads_ns() - before, 20'000) << row.name;
        }
      });
    }
  }
}

TEST(GemmSimd, C12_fork_after_use) {
  for (const std::int64_t n : {7, 8, 64, 512}) {
    SimdRun run;
    // 512 cubed against the oracle's plain loops would take seconds: ones are enough.
    SimdCase test{.m = n, .n = n, .k = n, .threads = 2};
    const auto works = [&](const GemmRow& row, const DeviceInfo& device) {
      run.prepare(test, all(1.0f), all(1.0f));
      if (!run.launch(row, device).ok()) return false;
      for (std::int64_t i = 0; i < n; ++i) {
        if (run.d(0, i, n - 1 - i) != static_cast<double>(n)) return false;
      }
      return true;
    };
    run.prepare(test);
    for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
      EXPECT_TRUE(works(row, device));
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        alarm(10);
        _exit(works(row, device) ? 0 : 1);
      }
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0) << row.name << " " << isa_name(device) << " n=" << n;
      EXPECT_TRUE(works(row, device));
    });
  }
}

// The strict mode that the report asks for is what these rows always do.
TEST(GemmSimd, C14_bits_do_not_depend_on_threads_or_neighbours) {
  SimdRun whole, part;
  const Value a = [](auto, std::int64_t r, std::int64_t c) {
    return std::sin(static_cast<float>(r * 64 + c));
  };
  const Value b = [](auto, std::int64_t r, std::int64_t c) {
    return std::cos(static_cast<float>(r * 75 + c));
  };
  for (const std::int64_t n : {75, 5}) {
    for (const std::int64_t k : {64, 1000}) {
      const SimdCase test{.m = 75, .n = n, .k = k};
      whole.prepare(test, a, b);
      for_each_simd(whole.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        whole.prepare(test, a, b);
        ASSERT_TRUE(whole.launch(row, device).ok());
        const auto bits = whole.d_bits();
        for (int i = 0; i < 20; ++i) {
          SimdCase again = test;
          again.threads = 1 << i % 3;
          whole.prepare(again, a, b);
          ASSERT_TRUE(whole.launch(row, device).ok());
          ASSERT_EQ(whole.d_bits(), bits) << row.name << " " << isa_name(device);
          again.m = 37;
          part.prepare(again, a, b);
          ASSERT_TRUE(part.launch(row, device).ok());
          const auto rows = part.d_bits();
          ASSERT_TRUE(std::equal(rows.begin(), rows.end(), bits.begin()))
              << row.name << " " << isa_name(device);
        }
      });
    }
  }
  // Large enough that threads are started.
  const SimdCase large{.m = 300, .n = 310, .k = 500};
  whole.prepare(large, a, b);
  for_each_simd(whole.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
    std::vector<std::uint32_t> bits;
    for (const int threads : {1, 2, 4, 7}) {
      SimdCase test = large;
      test.threads = threads;
      whole.prepare(test, a, b);
      ASSERT_TRUE(whole.launch(row, device).ok());
      if (bits.empty()) bits = whole.d_bits();
      ASSERT_EQ(whole.d_bits(), bits) << row.name << " " << threads << " threads";
    }
  });
}

TEST(GemmSimd, C17_every_order_of_a_tall_product) {
  SimdRun run;
  for (int bits = 0; bits < 8; ++bits) {
    SimdCase test{.m = 6344, .n = 2, .k = 64, .threads = 2};
    test.a_order = (bits & 1) != 0 ? Order::kColMajor : Order::kRowMajor;
    test.b_order = (bits & 2) != 0 ? Order::kColMajor : Order::kRowMajor;
    test.d_order = (bits & 4) != 0 ? Order::kColMajor : Order::kRowMajor;
    run.prepare(test);
    for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
      EXPECT_EQ(run_simd(run, test, row, device), "");
    });
  }
}

TEST(GemmSimd, C19_matrix_times_vector) {
  SimdRun run;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{800, 1}, {1, 800}}) {
    for (const int threads : {1, 2}) {
      const SimdCase test{.m = m, .n = n, .k = 2000, .threads = threads};
      run.prepare(test);
      for_each_simd(run.problem(), [&](const GemmRow& row, const DeviceInfo& device) {
        EXPECT_EQ(run_simd(run, test, row, device), "");
      });
    }
  }
}

TEST(GemmSimd, C22_leading_dimension_above_32_bits) {
  constexpr std::int64_t kLd = (std::int64_t{1} << 31) + 8;
  constexpr std::size_t kBytes = static_cast<std::size_t>(3 * kLd + 4) * sizeof(float);
  void* const mapping = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto* const sparse = static_cast<float*>(mapping);
  SimdRun run;
  run.prepare({.m = 4, .n = 4, .k = 4}, all(1.0f), all(1.0f));
  for (int which = 0; which < 3; ++which) {  // A, B, D
    GemmProblem problem = run.problem();
    GemmArgs args = run.args();
    Operand* const operands[] = {&problem.a, &problem.b, &problem.d};
    operands[which]->ld = kLd;
    (which == 0 ? args.a : which == 1 ? args.b : args.c) = sparse;
    if (which == 2) args.d = sparse;
    for_each_simd(problem, [&](const GemmRow& row, const DeviceInfo& device) {
      for (std::int64_t r = 0; r < 4; ++r) {
        for (std::int64_t c = 0; c < 4; ++c) {
          sparse[r * kLd + c] = which == 2 ? kNaN : static_cast<float>(r == c ? r + 2 : 0);
        }
      }
      ASSERT_TRUE(row.launch(GemmLaunch{problem, args, device, {}, {}, 1}).ok());
      for (std::int64_t r = 0; r < 4; ++r) {
        for (std::int64_t c = 0; c < 4; ++c) {
          const double got = which == 2 ? sparse[r * kLd + c] : run.d(0, r, c);
          const double right = which == 2 ? 4.0 : static_cast<double>(which == 0 ? r + 2 : c + 2);
          EXPECT_EQ(got, right) << row.name << " " << isa_name(device);
        }
      }
    });
  }
  munmap(mapping, kBytes);
}

}  // namespace
}  // namespace tilewright::tests
