// The oracle against three loops that a reader can check at a glance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "cpu/ref/gemm_ref.h"
#include "numeric/bf16.h"
#include "numeric/f16.h"

namespace tilewright {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16};
constexpr Order kOrders[] = {Order::kRowMajor, Order::kColMajor};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double get(DType type, const void* data, std::int64_t index) {
  if (type == DType::kF32) return static_cast<const float*>(data)[index];
  const std::uint16_t code = static_cast<const std::uint16_t*>(data)[index];
  return type == DType::kF16 ? numeric::f16_to_f32(code) : numeric::bf16_to_f32(code);
}

void put(DType type, void* data, std::int64_t index, double value) {
  if (type == DType::kF32) {
    static_cast<float*>(data)[index] = static_cast<float>(value);
  } else {
    static_cast<std::uint16_t*>(data)[index] =
        type == DType::kF16 ? numeric::f16_from_f64(value) : numeric::bf16_from_f64(value);
  }
}

std::int64_t offset(const Operand& operand, std::int64_t batch, std::int64_t row,
                    std::int64_t column) {
  return batch * operand.batch_stride + (operand.order == Order::kRowMajor
                                             ? row * operand.ld + column
                                             : row + column * operand.ld);
}

void three_loops(const GemmProblem& p, const GemmArgs& args) {
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        double value = 0;
        if (args.alpha != 0) {
          for (std::int64_t k = 0; k < p.k; ++k) {
            value += get(p.a.type, args.a, offset(p.a, batch, row, k)) *
                     get(p.b.type, args.b, offset(p.b, batch, k, column));
          }
          value *= args.alpha;
        }
        if (args.beta != 0) {
          value += args.beta * get(p.d.type, args.c, offset(p.c, batch, row, column));
        }
        put(p.d.type, args.d, offset(p.d, batch, row, column), value);
      }
    }
  }
}

// Memory of one operand, as bytes so that gaps between rows can be compared too.
class Buffer {
 public:
  Buffer(const Operand& operand, std::int64_t rows, std::int64_t columns, std::int64_t batch)
      : type_(operand.type) {
    const bool by_rows = operand.order == Order::kRowMajor;
    const std::int64_t lines = by_rows ? rows : columns;
    elements_ = (batch - 1) * operand.batch_stride + lines * operand.ld;
    bytes.resize(static_cast<std::size_t>(bytes_of(type_, elements_)));
  }
  void fill_random(std::mt19937& random) {
    std::uniform_real_distribution<float> values(-2, 2);
    for (std::int64_t i = 0; i < elements_; ++i) put(type_, bytes.data(), i, values(random));
  }
  void fill(float value) {
    for (std::int64_t i = 0; i < elements_; ++i) put(type_, bytes.data(), i, value);
  }

  std::vector<std::uint8_t> bytes;

 private:
  DType type_;
  std::int64_t elements_;
};

Status run_reference(const GemmProblem& problem, const GemmArgs& args, int threads) {
  return kGemmCpuReference.launch({.problem = problem,
                                   .args = args,
                                   .device = {},
                                   .workspace = {},
                                   .stream = {},
                                   .cpu_threads = threads});
}

template <std::size_t count, class T>
T one_of(const T (&choices)[count], std::mt19937& random) {
  return choices[random() % count];
}

Operand random_operand(DType type, std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  Operand operand{.type = type, .order = one_of(kOrders, random)};
  operand.ld = (operand.order == Order::kRowMajor ? columns : rows) + random() % 4;
  const std::int64_t lines = operand.order == Order::kRowMajor ? rows : columns;
  operand.batch_stride = lines * operand.ld + random() % 7;
  return operand;
}

GemmProblem random_problem(std::mt19937& random) {
  // Tiles are 64 x 128 x 256: sizes on both sides of each edge, and thin ones.
  static constexpr std::int64_t kM[] = {1, 2, 3, 5, 17, 63, 64, 65, 130};
  static constexpr std::int64_t kN[] = {1, 2, 4, 7, 31, 127, 128, 129};
  static constexpr std::int64_t kK[] = {1, 2, 3, 8, 33, 255, 256, 257};
  GemmProblem p{.m = one_of(kM, random), .n = one_of(kN, random), .k = one_of(kK, random)};
  p.batch = 1 + random() % 3;
  p.a = random_operand(one_of(kTypes, random), p.m, p.k, random);
  p.b = random_operand(one_of(kTypes, random), p.k, p.n, random);
  p.d = random_operand(one_of(kTypes, random), p.m, p.n, random);
  p.c = random_operand(p.d.type, p.m, p.n, random);
  for (Operand* input : {&p.a, &p.b, &p.c}) {
    if (random() % 4 == 0) input->batch_stride = 0;
  }
  return p;
}

std::string words(const GemmProblem& p) {
  std::string text = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) +
                     " batch " + std::to_string(p.batch);
  for (const Operand* operand : {&p.a, &p.b, &p.c, &p.d}) {
    text += " | " + std::string(name_of(operand->type)) +
            (operand->order == Order::kRowMajor ? " row " : " col ") + std::to_string(operand->ld);
  }
  return text;
}

// The product of both is exact in double and the order of the sum is the same, so every byte must
// be the same, also of the gaps between rows.
TEST(GemmReference, equals_three_loops_in_every_byte) {
  std::mt19937 random(1);
  constexpr float kAlphas[] = {1, -0.75f, 3, 0};
  constexpr float kBetas[] = {0, 1, 0.3f, -2};
  for (int i = 0; i < 250; ++i) {
    const GemmProblem p = random_problem(random);
    SCOPED_TRACE(words(p));
    Buffer a(p.a, p.m, p.k, p.batch), b(p.b, p.k, p.n, p.batch), c(p.c, p.m, p.n, p.batch);
    for (Buffer* input : {&a, &b, &c}) input->fill_random(random);
    Buffer d(p.d, p.m, p.n, p.batch), expected(p.d, p.m, p.n, p.batch);
    d.fill(kNan);
    expected.fill(kNan);
    GemmArgs args{.a = a.bytes.data(), .b = b.bytes.data(), .c = c.bytes.data()};
    args.alpha = one_of(kAlphas, random);
    args.beta = one_of(kBetas, random);
    args.d = expected.bytes.data();
    three_loops(p, args);
    args.d = d.bytes.data();
    ASSERT_EQ(kGemmCpuReference.reject(p, {}), "");
    ASSERT_TRUE(run_reference(p, args, 1 + i % 3));
    ASSERT_EQ(d.bytes, expected.bytes) << "alpha " << args.alpha << " beta " << args.beta;
  }
}

TEST(GemmReference, c_may_be_d_itself) {
  std::mt19937 random(2);
  for (int i = 0; i < 40; ++i) {
    GemmProblem p = random_problem(random);
    p.c = p.d;
    SCOPED_TRACE(words(p));
    Buffer a(p.a, p.m, p.k, p.batch), b(p.b, p.k, p.n, p.batch), d(p.d, p.m, p.n, p.batch);
    for (Buffer* input : {&a, &b, &d}) input->fill_random(random);
    Buffer expected = d;
    const Buffer c = d;
    GemmArgs args{.a = a.bytes.data(), .b = b.bytes.data(), .c = c.bytes.data()};
    args.beta = 0.5f;
    args.d = expected.bytes.data();
    three_loops(p, args);
    args.c = args.d = d.bytes.data();
    ASSERT_TRUE(run_reference(p, args, 2));
    ASSERT_EQ(d.bytes, expected.bytes);
  }
}

GemmProblem square(std::int64_t size, DType type) {
  GemmProblem p{.m = size, .n = size, .k = size};
  p.a = p.b = p.c = p.d = {.type = type, .ld = size};
  return p;
}

TEST(GemmReference, beta_zero_never_reads_c) {
  const GemmProblem p = square(7, DType::kF32);
  const std::vector<float> ones(49, 1), nans(49, kNan);
  for (const float* c : {nans.data(), static_cast<const float*>(nullptr)}) {
    std::vector<float> d(49, kNan);
    ASSERT_TRUE(run_reference(
        p, {.a = ones.data(), .b = ones.data(), .c = c, .d = d.data(), .beta = 0}, 1));
    EXPECT_THAT(d, testing::Each(7.0f));
  }
}

TEST(GemmReference, alpha_zero_never_reads_a_or_b) {
  const GemmProblem p = square(7, DType::kF32);
  const std::vector<float> twos(49, 2), nans(49, kNan);
  for (const float* ab : {nans.data(), static_cast<const float*>(nullptr)}) {
    for (const float beta : {0.0f, 1.5f}) {
      std::vector<float> d(49, kNan);
      ASSERT_TRUE(run_reference(
          p, {.a = ab, .b = ab, .c = twos.data(), .d = d.data(), .alpha = 0, .beta = beta}, 1));
      EXPECT_THAT(d, testing::Each(2 * beta));
    }
  }
}

// D = beta * C, whatever alpha is, down to the sign of zero.
TEST(GemmReference, k_zero_scales_c) {
  GemmProblem p = square(5, DType::kF16);
  p.k = 0;
  const std::vector<std::uint16_t> c(25, numeric::f16_from_f32(-0.0f)),
      threes(25, numeric::f16_from_f32(3));
  for (const float alpha : {1.0f, kNan}) {
    std::vector<std::uint16_t> d(25, 0x7e00);
    ASSERT_TRUE(
        run_reference(p, {.c = threes.data(), .d = d.data(), .alpha = alpha, .beta = -2}, 1));
    EXPECT_THAT(d, testing::Each(numeric::f16_from_f32(-6)));
    ASSERT_TRUE(run_reference(p, {.c = c.data(), .d = d.data(), .alpha = alpha, .beta = 1}, 1));
    EXPECT_THAT(d, testing::Each(0x8000));
    ASSERT_TRUE(run_reference(p, {.d = d.data(), .alpha = alpha, .beta = 0}, 1));
    EXPECT_THAT(d, testing::Each(0));
  }
}

TEST(GemmReference, nan_and_infinity_pass_through) {
  const GemmProblem p = square(2, DType::kF32);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> a = {1, kNan, inf, 0}, b = {1, 0, 0, 1};
  std::vector<float> d(4);
  ASSERT_TRUE(run_reference(p, {.a = a.data(), .b = b.data(), .d = d.data(), .beta = 0}, 1));
  EXPECT_TRUE(std::isnan(d[0]));  // NaN * 0 and inf * 0 count as much as any product
  EXPECT_TRUE(std::isnan(d[1]));
  EXPECT_EQ(d[2], inf);
  EXPECT_TRUE(std::isnan(d[3]));
}

// 1 + 2^-11 + 2^-36 lies just above the middle of two f16 values; rounded to float first, it lies
// on it and the tie goes down.
TEST(GemmReference, rounds_once) {
  GemmProblem p{.m = 1, .n = 1, .k = 3};
  p.a = {.type = DType::kF32, .ld = 3};
  p.b = {.type = DType::kF32, .ld = 1};
  p.c = p.d = {.type = DType::kF16, .ld = 1};
  const float a[] = {1, 0x1p-11f, 0x1p-36f}, b[] = {1, 1, 1};
  std::uint16_t d = 0;
  ASSERT_TRUE(run_reference(p, {.a = a, .b = b, .d = &d, .beta = 0}, 1));
  EXPECT_EQ(d, 0x3c01);
}

// 2^24 + 1 + 1 + ... stands still in float.
TEST(GemmReference, sums_in_double) {
  const std::int64_t k = 1000;
  GemmProblem p{.m = 1, .n = 1, .k = k};
  p.a = {.type = DType::kF32, .ld = k};
  p.b = {.type = DType::kF32, .ld = 1};
  p.c = p.d = {.type = DType::kF32, .ld = 1};
  std::vector<float> a(k, 1), b(k, 1);
  a[0] = 0x1p24f;
  float d = 0;
  ASSERT_TRUE(run_reference(p, {.a = a.data(), .b = b.data(), .d = &d, .beta = 0}, 1));
  EXPECT_EQ(d, 0x1p24f + 1000.0f);
}

TEST(GemmReference, thread_count_changes_no_bit) {
  std::mt19937 random(5);
  GemmProblem p{.m = 200, .n = 260, .k = 300, .batch = 2};
  p.a = {.type = DType::kBF16, .ld = 300, .batch_stride = 60'000};
  p.b = {.type = DType::kF16, .order = Order::kColMajor, .ld = 300, .batch_stride = 0};
  p.c = p.d = {.type = DType::kF32, .ld = 260, .batch_stride = 52'000};
  Buffer a(p.a, p.m, p.k, 2), b(p.b, p.k, p.n, 2), first(p.d, p.m, p.n, 2);
  a.fill_random(random);
  b.fill_random(random);
  GemmArgs args{.a = a.bytes.data(), .b = b.bytes.data(), .d = first.bytes.data(), .beta = 0};
  ASSERT_TRUE(run_reference(p, args, 1));
  for (const int threads : {0, 2, 3, 5, 64}) {
    Buffer d(p.d, p.m, p.n, 2);
    args.d = d.bytes.data();
    ASSERT_TRUE(run_reference(p, args, threads));
    ASSERT_EQ(d.bytes, first.bytes) << threads << " threads";
  }
}

// Address space that takes memory only where it is touched.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~SparseMemory() {
    if (ok()) munmap(data_, bytes_);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  bool ok() const { return data_ != MAP_FAILED; }
  std::uint16_t* data() const { return static_cast<std::uint16_t*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(GemmReference, strides_beyond_32_bits) {
  const std::int64_t far = (std::int64_t{1} << 31) + 8;  // elements
  SparseMemory memory(static_cast<std::size_t>(5 * far) * 2);
  if (!memory.ok()) GTEST_SKIP() << "the system gives no 20 GiB of address space";
  GemmProblem p{.m = 4, .n = 4, .k = 4, .batch = 2};
  p.a = {.type = DType::kF16, .ld = far, .batch_stride = far};
  p.b = {.type = DType::kF16, .order = Order::kColMajor, .ld = 4, .batch_stride = 0};
  p.c = p.d = {.type = DType::kF32, .ld = 4, .batch_stride = 16};
  for (std::int64_t line = 0; line < 5; ++line) {
    for (std::int64_t k = 0; k < 4; ++k) {
      memory.data()[line * far + k] = numeric::f16_from_f32(static_cast<float>(line + 1));
    }
  }
  const std::vector<std::uint16_t> b(16, numeric::f16_from_f32(1));
  std::vector<float> d(32);
  ASSERT_TRUE(run_reference(p, {.a = memory.data(), .b = b.data(), .d = d.data(), .beta = 0}, 2));
  for (std::size_t batch = 0; batch < 2; ++batch) {
    for (std::size_t row = 0; row < 4; ++row) {
      EXPECT_EQ(d[batch * 16 + row * 4], 4.0f * static_cast<float>(batch + row + 1));
    }
  }
}

TEST(GemmReference, refuses_other_types_by_name) {
  for (const DType type : {DType::kE4M3, DType::kE8M0, DType::kE2M1, DType::kI8, DType::kI4}) {
    GemmProblem a = square(8, DType::kF16), b = a, d = a;
    a.a.type = type;
    b.b.type = type;
    d.c.type = d.d.type = type;
    const std::string reason = " is " + std::string(name_of(type));
    EXPECT_THAT(kGemmCpuReference.reject(a, {}), testing::HasSubstr("A" + reason));
    EXPECT_THAT(kGemmCpuReference.reject(b, {}), testing::HasSubstr("B" + reason));
    EXPECT_THAT(kGemmCpuReference.reject(d, {}), testing::HasSubstr("D" + reason));
  }
}

}  // namespace
}  // namespace tilewright
