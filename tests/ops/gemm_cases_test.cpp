// The cases on the CPU: those of every backend, and those of the host alone.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>

#include "tests/ops/gemm_cases_harness.h"
#include "tests/ops/gemm_matrix_harness.h"

namespace tilewright::tests {
namespace {

TEST(GemmCases, G01_odd_sizes) {
  g01_odd_sizes(cpu_device());
}

TEST(GemmCases, G04_smallest_tile) {
  g04_smallest_tile(cpu_device());
}

TEST(GemmCases, G06_row_pitch) {
  g06_row_pitch(cpu_device());
}

TEST(GemmCases, G07_views) {
  g07_views(cpu_device());
}

TEST(GemmCases, G09_beta_zero_ignores_c) {
  g09_beta_zero_ignores_c(cpu_device());
}

TEST(GemmCases, G10_alpha_zero_ignores_a_and_b) {
  g10_alpha_zero_ignores_a_and_b(cpu_device());
}

TEST(GemmCases, G11_k_zero) {
  g11_k_zero(cpu_device());
}

TEST(GemmCases, G13_large_batch) {
  g13_large_batch(cpu_device());
}

TEST(GemmCases, G15_wide_batch_stride) {
  g15_wide_batch_stride(cpu_device());
}

TEST(GemmCases, G18_accumulator_width) {
  g18_accumulator_width(cpu_device());
}

TEST(GemmCases, C22_wide_leading_dimension) {
  c22_wide_leading_dimension(cpu_device());
}

TEST(GemmCases, G17_tall_matrix_vector) {
  g17_tall_matrix_vector(cpu_device(), 20000);
}

GemmCase square_case(std::int64_t side, DType type) {
  GemmCase test;
  test.problem = default_gemm(side, side, side, type, type);
  test.seed = test_seed();
  return test;
}

TEST(GemmCases, C01_first_calls_from_threads) {
  const GemmCase test = square_case(128, DType::kBF16);
  const auto call = [&] { EXPECT_EQ(run_and_check(test, cpu_device(), "").text, ""); };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  std::thread(call).join();
}

TEST(GemmCases, C04_alpha_and_beta_zero) {
  for (const std::int64_t side : {1, 7, 100, 101}) {
    for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
      GemmCase beta_zero = square_case(side, type);
      beta_zero.c = beta_zero.d_before = all(std::numeric_limits<float>::quiet_NaN());
      for (const CSource source : {CSource::kApart, CSource::kIsD, CSource::kNone}) {
        beta_zero.c_source = source;
        expect_right_everywhere(beta_zero, cpu_device());
      }
      GemmCase alpha_zero = square_case(side, type);
      alpha_zero.alpha = 0;
      alpha_zero.a = all(std::numeric_limits<float>::quiet_NaN());
      alpha_zero.exact = all(0);
      expect_right_everywhere(alpha_zero, cpu_device());
    }
  }
}

// Ones between two unmapped pages; buffers are placed against either of them.
class GuardedOnes {
 public:
  explicit GuardedOnes(std::size_t capacity) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (capacity * sizeof(float) + page - 1) / page * page;
    size_ = inner + 2 * page;
    void* const pages = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("cannot map guard pages");
    pages_ = static_cast<std::byte*>(pages);
    if (mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("cannot open the guarded pages");
    }
    first_ = reinterpret_cast<float*>(pages_ + page);
    end_ = first_ + inner / sizeof(float);
    std::fill(first_, end_, 1.0f);
  }
  ~GuardedOnes() { munmap(pages_, size_); }
  GuardedOnes(const GuardedOnes&) = delete;
  GuardedOnes& operator=(const GuardedOnes&) = delete;

  float* place(std::int64_t count, bool at_end) const { return at_end ? end_ - count : first_; }

 private:
  std::size_t size_ = 0;
  std::byte* pages_ = nullptr;
  float* first_ = nullptr;
  float* end_ = nullptr;
};

struct GuardedOperands {
  GuardedOnes a{126 * 126}, b{126 * 31509}, d{126 * 126};
};

void expect_inside_buffers(const GemmProblem& problem, std::string_view kernel,
                           const GuardedOperands& in) {
  const Result<GemmPlan> plan =
      plan_gemm(problem, cpu_device(), {.kernel = std::string(kernel), .cpu_threads = 1});
  if (plan.status().code() == StatusCode::kUnsupported) return;
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  for (const bool at_end : {true, false}) {
    float* const d = in.d.place((problem.m - 1) * problem.d.ld + problem.n, at_end);
    GemmArgs args;
    args.a = in.a.place((problem.m - 1) * problem.a.ld + problem.k, at_end);
    args.b = in.b.place((problem.k - 1) * problem.b.ld + problem.n, at_end);
    args.d = d;
    const Status status = plan->run(args);
    ASSERT_TRUE(status.ok()) << status.message();
    for (std::int64_t i = 0; i < problem.m * problem.n; ++i) {
      ASSERT_EQ(d[i], static_cast<float>(problem.k)) << kernel;  // D is packed
    }
  }
}

// A read or write past a buffer ends this process.
TEST(GemmCases, C06_stays_inside_its_buffers) {
  const GuardedOperands in;
  for (const std::string& kernel : row_names(Backend::kCpu)) {
    const auto problem_of = [](std::int64_t m, std::int64_t n, std::int64_t k) {
      GemmProblem problem = packed_gemm(m, n, k, DType::kF32, DType::kF32, Order::kRowMajor,
                                        Order::kRowMajor, Order::kRowMajor);
      for (Operand* layout : {&problem.a, &problem.b, &problem.d}) layout->alignment_bytes = 4;
      return problem;
    };
    GemmProblem reported = problem_of(126, 1, 126);
    reported.b.ld = 31509;
    expect_inside_buffers(reported, kernel, in);
    for (std::int64_t m = 1; m <= 17; ++m) {
      for (std::int64_t n = 1; n <= 17; ++n) {
        for (std::int64_t k = 1; k <= 17; ++k) {
          expect_inside_buffers(problem_of(m, n, k), kernel, in);
        }
      }
    }
  }
}

TEST(GemmCases, C07_two_by_one) {
  GemmCase test;
  test.problem = packed_gemm(2, 1, 1, DType::kF32, DType::kF32, Order::kRowMajor, Order::kRowMajor,
                             Order::kRowMajor);
  test.a = all(1);
  test.b = test.exact = all(2);
  expect_right_everywhere(test, cpu_device());
}

// Threads of this process now.
std::int64_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(GemmCases, C11_no_more_threads_than_allowed) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cpu_device().cpu.cores, 1);

  std::atomic<bool> done = false;
  std::int64_t most = 0;
  std::thread watcher([&] {
    while (!done) {
      most = std::max(most, thread_count());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (const std::string& kernel : row_names(Backend::kCpu)) {
    const Outcome outcome = run_and_check(square_case(384, DType::kF32), cpu_device(), kernel);
    EXPECT_EQ(outcome.accepted ? outcome.text : "", "") << kernel;
  }
  done = true;
  watcher.join();
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(most, 2) << "the caller, the watcher, and threads that nobody allowed";
}

// Whether the child ends well within ten seconds.
bool child_ends_well(pid_t child) {
  for (int waited_ms = 0; waited_ms < 10000; waited_ms += 10) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

TEST(GemmCases, C12_fork_after_use) {
  for (const std::string& kernel : row_names(Backend::kCpu)) {
    for (const std::int64_t side : {7, 8, 64, 512}) {
      GemmCase test = square_case(side, DType::kF32);
      test.cpu_threads = 2;
      const auto right = [&] {
        const Outcome outcome = run_and_check(test, cpu_device(), kernel);
        return !outcome.accepted || outcome.text.empty();
      };
      EXPECT_TRUE(right()) << kernel << " " << side;
      const pid_t child = fork();
      ASSERT_NE(child, -1);
      if (child == 0) _exit(right() ? 0 : 1);
      EXPECT_TRUE(child_ends_well(child)) << kernel << " " << side;
      EXPECT_TRUE(right()) << kernel << " " << side;
    }
  }
}

// D of the first `m` rows of a 75 x 75 x 64 product; empty where the row does not take it.
std::vector<float> first_rows(std::int64_t m, std::string_view kernel, int threads) {
  GemmCase test;
  test.problem = default_gemm(m, 75, 64, DType::kF32, DType::kF32);
  test.seed = test_seed();
  const Result<GemmPlan> plan = plan_gemm(test.problem, cpu_device(),
                                          {.kernel = std::string(kernel), .cpu_threads = threads});
  if (!plan.ok()) return {};
  GemmRun run(test, cpu_device());
  EXPECT_TRUE(run.launch(*plan).ok());
  EXPECT_EQ(run.check(), "");
  return run.d_entry(0);
}

// Run to run for every row; over thread counts and sizes too for the reference, which rounds each
// element once.
TEST(GemmCases, C14_same_bits_each_time) {
  constexpr int kRuns = 20;
  for (const KernelInfo& row : rows_for(cpu_device())) {
    const std::vector<float> whole = first_rows(75, row.name, 1);
    if (whole.empty()) continue;
    for (const std::int64_t m : {75, 37}) {
      for (const int threads : {1, 2, 4}) {
        const std::vector<float> first = first_rows(m, row.name, threads);
        ASSERT_EQ(first.size(), static_cast<std::size_t>(m * 75));
        for (int run = 1; run < kRuns; ++run) {
          ASSERT_EQ(first_rows(m, row.name, threads), first) << row.name << ", " << threads;
        }
        if (!row.is_reference) continue;
        EXPECT_TRUE(std::equal(first.begin(), first.end(), whole.begin())) << m << ", " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::tests
