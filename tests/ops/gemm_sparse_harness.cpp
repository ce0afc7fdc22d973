// The cases whose buffers are too large to keep a host copy of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ops/gemm_cases_harness.h"
#include "tilewright/codecs.h"

namespace tilewright::tests {
namespace {

constexpr std::int64_t kWide = (std::int64_t{1} << 31) + 8;

std::vector<float> random_values(std::int64_t count, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::ranges::generate(values, [&] { return random.uniform(); });
  return values;
}

// A matrix whose lines lie far apart: only they are written and read.
class SparseOperand {
 public:
  SparseOperand(const DeviceInfo& device, const Operand& layout, std::int64_t rows,
                std::int64_t columns, std::int64_t batch)
      : layout_(layout),
        row_major_(layout.order == Order::kRowMajor),
        lines_(row_major_ ? rows : columns),
        line_(row_major_ ? columns : rows),
        memory_(device, bytes_of(layout.type, (batch - 1) * layout.batch_stride +
                                                  (lines_ - 1) * layout.ld + line_)) {}

  // Both take and give entries row after row.
  void set(std::int64_t entry, const std::vector<float>& matrix) {
    std::vector<std::byte> encoded(static_cast<std::size_t>(bytes_of(layout_.type, line_)));
    std::vector<float> values(static_cast<std::size_t>(line_));
    for (std::int64_t line = 0; line < lines_; ++line) {
      for (std::int64_t i = 0; i < line_; ++i) values[to_size(i)] = matrix[index(line, i)];
      ASSERT_TRUE(encode(layout_.type, values.data(), line_, encoded.data()).ok());
      memory_.write(offset(entry, line), encoded.data(), bytes_of(layout_.type, line_));
    }
  }

  std::vector<float> get(std::int64_t entry) const {
    std::vector<std::byte> encoded(static_cast<std::size_t>(bytes_of(layout_.type, line_)));
    std::vector<float> values(static_cast<std::size_t>(line_));
    std::vector<float> matrix(static_cast<std::size_t>(lines_ * line_));
    for (std::int64_t line = 0; line < lines_; ++line) {
      memory_.read(offset(entry, line), encoded.data(), bytes_of(layout_.type, line_));
      EXPECT_TRUE(decode(layout_.type, encoded.data(), line_, values.data()).ok());
      for (std::int64_t i = 0; i < line_; ++i) matrix[index(line, i)] = values[to_size(i)];
    }
    return matrix;
  }

  void* data() const { return memory_.data(); }

 private:
  static std::size_t to_size(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::size_t index(std::int64_t line, std::int64_t i) const {
    return to_size(row_major_ ? line * line_ + i : i * lines_ + line);
  }
  std::int64_t offset(std::int64_t entry, std::int64_t line) const {
    return bytes_of(layout_.type, entry * layout_.batch_stride + line * layout_.ld);
  }

  Operand layout_;
  bool row_major_;
  std::int64_t lines_, line_;
  Memory memory_;
};

// Plans by name, runs on the default stream, waits. False when the row does not take the problem.
bool run_row(std::string_view kernel, const GemmProblem& problem, const DeviceInfo& device,
             const GemmArgs& args) {
  const Result<GemmPlan> plan = plan_gemm(problem, device, {.kernel = std::string(kernel)});
  if (!plan.ok()) {
    EXPECT_EQ(plan.status().code(), StatusCode::kUnsupported) << plan.status().message();
    return false;
  }
  EXPECT_EQ(plan->workspace_bytes(), 0u) << "give this test a workspace";
  const Status status = plan->run(args);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(device_fault(device), "");
  return true;
}

void expect_right_when_sparse(const GemmProblem& p, const DeviceInfo& device) {
  GemmCase test;
  test.problem = p;
  SparseOperand a(device, p.a, p.m, p.k, p.batch), b(device, p.b, p.k, p.n, p.batch);
  SparseOperand d(device, p.d, p.m, p.n, p.batch);
  Random random(test_seed());
  for (std::int64_t entry = 0; entry < p.batch; ++entry) {
    a.set(entry, random_values(p.m * p.k, random));
    b.set(entry, random_values(p.k * p.n, random));
  }
  const std::vector<float> poison(static_cast<std::size_t>(p.m * p.n), 12345.0f);
  int accepted = 0;
  for (const KernelInfo& row : rows_for(device)) {
    for (std::int64_t entry = 0; entry < p.batch; ++entry) d.set(entry, poison);
    GemmArgs args;
    args.a = a.data();
    args.b = b.data();
    args.d = d.data();
    if (!run_row(row.name, p, device, args)) continue;
    ++accepted;
    for (std::int64_t entry = 0; entry < p.batch; ++entry) {
      const Expected expected = expect_entry(test, a.get(entry), b.get(entry), {});
      EXPECT_EQ(compare_entry(test, entry, expected, d.get(entry)), "")
          << row.name << " on " << describe(test);
    }
  }
  EXPECT_GT(accepted, 0) << "no row takes " << describe(test);
}

}  // namespace

void g15_wide_batch_stride(const DeviceInfo& device) {
  for (Operand GemmProblem::*const wide : {&GemmProblem::a, &GemmProblem::b, &GemmProblem::d}) {
    GemmProblem problem = packed_gemm(64, 64, 64, DType::kF16, DType::kF16, Order::kRowMajor,
                                      Order::kRowMajor, Order::kRowMajor);
    problem.batch = 2;
    stack_batch(problem);
    (problem.*wide).batch_stride = kWide;
    expect_right_when_sparse(problem, device);
  }
}

void c22_wide_leading_dimension(const DeviceInfo& device) {
  for (const Order order : {Order::kRowMajor, Order::kColMajor}) {
    for (Operand GemmProblem::*const wide : {&GemmProblem::a, &GemmProblem::b, &GemmProblem::d}) {
      GemmProblem problem = packed_gemm(4, 4, 4, DType::kF16, DType::kF16, Order::kRowMajor,
                                        Order::kRowMajor, Order::kRowMajor);
      for (Operand* layout : {&problem.a, &problem.b, &problem.d}) layout->ld = 8;
      (problem.*wide).order = order;
      (problem.*wide).ld = kWide;
      expect_right_when_sparse(problem, device);
    }
  }
}

void g17_tall_matrix_vector(const DeviceInfo& device, std::int64_t side) {
  // A few random rows over and over: every row of D is known, and A is filled on the device.
  constexpr std::int64_t kRows = 250;
  constexpr DType kType = DType::kF16;
  GemmCase test;
  GemmProblem& p = test.problem;
  p = packed_gemm(side, 1, side, kType, kType, Order::kRowMajor, Order::kRowMajor,
                  Order::kRowMajor);
  p.b.ld = p.d.ld = 8;  // rows on 16 bytes, as the fast kernels ask for

  Random random(test_seed());
  std::vector<float> block = random_values(kRows * side, random);
  const std::int64_t block_bytes = bytes_of(kType, kRows * side);
  std::vector<std::byte> encoded(static_cast<std::size_t>(block_bytes));
  ASSERT_TRUE(encode(kType, block.data(), kRows * side, encoded.data()).ok());
  ASSERT_TRUE(decode(kType, encoded.data(), kRows * side, block.data()).ok());
  Memory a(device, bytes_of(kType, side * side));
  a.write(0, encoded.data(), block_bytes);
  a.repeat(block_bytes, a.bytes());
  PlacedOperand b(device, p.b, side, 1, 1, std::byte{0xFF});
  b.fill([&](std::int64_t, std::int64_t, std::int64_t) { return random.uniform(); });
  b.upload();

  GemmCase one_block = test;
  one_block.problem.m = kRows;
  const Expected few = expect_entry(one_block, block, b.entry(0), {});
  Expected expected;
  for (std::int64_t row = 0; row < side; ++row) {
    const auto from = static_cast<std::size_t>(row % kRows);
    expected.value.push_back(few.value[from]);
    expected.product_magnitude.push_back(few.product_magnitude[from]);
    expected.added_magnitude.push_back(0);
  }
  int accepted = 0;
  for (const KernelInfo& row : rows_for(device)) {
    PlacedOperand d(device, p.d, side, 1, 1, std::byte{0xA5});
    d.fill(all(12345.0f));
    d.upload();
    GemmArgs args;
    args.a = a.data();
    args.b = b.data();
    args.d = d.data();
    if (!run_row(row.name, p, device, args)) continue;
    ++accepted;
    d.download();
    d.accept_entry(0);
    EXPECT_EQ(compare_entry(test, 0, expected, d.entry(0)), "") << row.name;
    EXPECT_EQ(d.damage(), "") << row.name;
  }
  EXPECT_GT(accepted, 0) << "no row takes " << describe(test);
}

}  // namespace tilewright::tests
