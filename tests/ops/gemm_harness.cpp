#include "tests/ops/gemm_harness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tilewright/codecs.h"

namespace tilewright::tests {
namespace {

constexpr std::int64_t kGuardBytes = 4096;
constexpr std::byte kPoison{0xFF};  // NaN in f32, f16 and bf16
constexpr std::byte kCanary{0xA5};

std::uint64_t choose_seed() {
  if (const char* given = std::getenv("TILEWRIGHT_TEST_SEED")) {
    return std::strtoull(given, nullptr, 10);
  }
  const int flag = ::testing::GTEST_FLAG(random_seed);
  if (flag != 0) return static_cast<std::uint64_t>(flag);
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

std::int64_t lines_of(const Operand& layout, std::int64_t rows, std::int64_t columns) {
  return layout.order == Order::kRowMajor ? rows : columns;
}

std::int64_t line_elements_of(const Operand& layout, std::int64_t rows, std::int64_t columns) {
  return layout.order == Order::kRowMajor ? columns : rows;
}

std::int64_t elements_spanned(const Operand& layout, std::int64_t rows, std::int64_t columns,
                              std::int64_t batch) {
  if (rows == 0 || columns == 0 || batch == 0) return 0;
  return (batch - 1) * layout.batch_stride + (lines_of(layout, rows, columns) - 1) * layout.ld +
         line_elements_of(layout, rows, columns);
}

// A multiple of `alignment_bytes` and of no larger power of two below 256, so that a kernel which
// counts on more than it was promised meets it.
std::int64_t first_byte(int alignment_bytes) {
  return kGuardBytes + (alignment_bytes < 256 ? alignment_bytes : 0);
}

std::string describe(const Operand& layout) {
  return fmt::format("{} {} ld {} stride {} align {}", name_of(layout.type),
                     layout.order == Order::kRowMajor ? "row" : "col", layout.ld,
                     layout.batch_stride, layout.alignment_bytes);
}

Fill random_fill(std::uint64_t seed) {
  return [random = Random(seed)](std::int64_t, std::int64_t, std::int64_t) mutable {
    return random.uniform();
  };
}

// Memory of `bytes` bytes as an operand, so that a workspace gets its canaries the same way.
Operand byte_row(std::int64_t bytes) {
  return {.type = DType::kI8, .order = Order::kRowMajor, .ld = bytes, .alignment_bytes = 256};
}

}  // namespace

std::uint64_t test_seed() {
  static const std::uint64_t seed = choose_seed();
  return seed;
}

std::uint64_t Random::next() {  // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

float Random::uniform() {
  return static_cast<float>(static_cast<std::int64_t>(next() >> 40) - (1 << 23)) * 0x1p-23f;
}

Fill all(float value) {
  return [value](std::int64_t, std::int64_t, std::int64_t) { return value; };
}

std::string describe(const GemmCase& test) {
  const GemmProblem& p = test.problem;
  std::string text =
      fmt::format("M={} N={} K={} batch={} A[{}] B[{}] D[{}] alpha={} beta={}", p.m, p.n, p.k,
                  p.batch, describe(p.a), describe(p.b), describe(p.d), test.alpha, test.beta);
  if (test.c_source == CSource::kApart) text += fmt::format(" C[{}]", describe(p.c));
  if (test.c_source == CSource::kIsD) text += " C is D";
  if (test.cpu_threads != 0) text += fmt::format(" threads={}", test.cpu_threads);
  if (test.own_stream) text += " own stream";
  return text + fmt::format(" (replay with TILEWRIGHT_TEST_SEED={})", test_seed());
}

Operand operand(DType type, Order order, std::int64_t rows, std::int64_t columns,
                std::int64_t padding, int alignment_bytes) {
  Operand layout{.type = type, .order = order, .alignment_bytes = alignment_bytes};
  layout.ld = std::max<std::int64_t>(1, line_elements_of(layout, rows, columns)) + padding;
  return layout;
}

void stack_batch(GemmProblem& problem, std::int64_t padding) {
  const auto stack = [&](Operand& layout, std::int64_t rows, std::int64_t columns) {
    layout.batch_stride =
        std::max<std::int64_t>(1, lines_of(layout, rows, columns)) * layout.ld + padding;
  };
  stack(problem.a, problem.m, problem.k);
  stack(problem.b, problem.k, problem.n);
  stack(problem.c, problem.m, problem.n);
  stack(problem.d, problem.m, problem.n);
}

GemmProblem packed_gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType inputs, DType output,
                        Order a, Order b, Order d) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a = operand(inputs, a, m, k);
  problem.b = operand(inputs, b, k, n);
  problem.c = operand(output, d, m, n);
  problem.d = operand(output, d, m, n);
  return problem;
}

PlacedOperand::PlacedOperand(const DeviceInfo& device, const Operand& layout, std::int64_t rows,
                             std::int64_t columns, std::int64_t batch, std::byte guard)
    : layout_(layout),
      rows_(rows),
      columns_(columns),
      batch_(batch),
      lines_(lines_of(layout, rows, columns)),
      line_elements_(line_elements_of(layout, rows, columns)),
      first_(first_byte(layout.alignment_bytes)),
      image_(static_cast<std::size_t>(
                 first_ + kGuardBytes +
                 bytes_of(layout.type, elements_spanned(layout, rows, columns, batch))),
             guard),
      memory_(device, static_cast<std::int64_t>(image_.size())) {}

std::int64_t PlacedOperand::line_offset(std::int64_t entry, std::int64_t line) const {
  return first_ + bytes_of(layout_.type, entry * layout_.batch_stride + line * layout_.ld);
}

void PlacedOperand::fill(const Fill& value) {
  if (rows_ * columns_ == 0) return;
  const auto line_bytes = static_cast<std::size_t>(bytes_of(layout_.type, line_elements_));
  std::vector<float> values(static_cast<std::size_t>(line_elements_));
  for (std::int64_t entry = 0; entry < batch_; ++entry) {
    if (entry > 0 && layout_.batch_stride == 0) break;  // one matrix for all
    for (std::int64_t line = 0; line < lines_; ++line) {
      std::byte* const to = image_.data() + line_offset(entry, line);
      if (!value) {
        std::memset(to, static_cast<int>(kPoison), line_bytes);
        continue;
      }
      for (std::int64_t i = 0; i < line_elements_; ++i) {
        const bool row_major = layout_.order == Order::kRowMajor;
        values[static_cast<std::size_t>(i)] =
            value(entry, row_major ? line : i, row_major ? i : line);
      }
      const Status status = encode(layout_.type, values.data(), line_elements_, to);
      if (!status.ok()) throw std::runtime_error(status.message());
    }
  }
}

void PlacedOperand::upload() {
  memory_.write(0, image_.data(), static_cast<std::int64_t>(image_.size()));
}

void PlacedOperand::download() {
  downloaded_.resize(image_.size());
  memory_.read(0, downloaded_.data(), static_cast<std::int64_t>(image_.size()));
}

std::vector<float> PlacedOperand::entry(std::int64_t entry) const {
  std::vector<float> matrix(static_cast<std::size_t>(rows_ * columns_));
  std::vector<float> values(static_cast<std::size_t>(line_elements_));
  for (std::int64_t line = 0; line < lines_ && !matrix.empty(); ++line) {
    const Status status = decode(layout_.type, image_.data() + line_offset(entry, line),
                                 line_elements_, values.data());
    if (!status.ok()) throw std::runtime_error(status.message());
    for (std::int64_t i = 0; i < line_elements_; ++i) {
      const bool row_major = layout_.order == Order::kRowMajor;
      const std::int64_t at = row_major ? line * columns_ + i : i * columns_ + line;
      matrix[static_cast<std::size_t>(at)] = values[static_cast<std::size_t>(i)];
    }
  }
  return matrix;
}

void PlacedOperand::accept_entry(std::int64_t entry) {
  const auto line_bytes = static_cast<std::size_t>(bytes_of(layout_.type, line_elements_));
  for (std::int64_t line = 0; line < lines_ && rows_ * columns_ > 0; ++line) {
    const std::int64_t at = line_offset(entry, line);
    std::memcpy(image_.data() + at, downloaded_.data() + at, line_bytes);
  }
}

std::string PlacedOperand::damage() const {
  const auto [was, is] = std::mismatch(image_.begin(), image_.end(), downloaded_.begin());
  if (was == image_.end()) return "";
  const std::int64_t at = was - image_.begin() - first_;
  return fmt::format("byte {} counted from the first element was {:#04x} and is {:#04x}", at,
                     static_cast<int>(*was), static_cast<int>(*is));
}

GemmRun::GemmRun(const GemmCase& test, const DeviceInfo& device)
    : test_(test),
      device_(device),
      a_(device, test.problem.a, test.problem.m, test.problem.k, test.problem.batch, kPoison),
      b_(device, test.problem.b, test.problem.k, test.problem.n, test.problem.batch, kPoison),
      c_(device, test.problem.c, test.c_source == CSource::kApart ? test.problem.m : 0,
         test.problem.n, test.problem.batch, kPoison),
      d_(device, test.problem.d, test.problem.m, test.problem.n, test.problem.batch, kCanary),
      stream_(device, test.own_stream) {
  a_.fill(test.a ? test.a : random_fill(test.seed ^ 0xA));
  b_.fill(test.b ? test.b : random_fill(test.seed ^ 0xB00));
  const Fill c = test.c ? test.c : random_fill(test.seed ^ 0xC0000);
  if (test.c_source == CSource::kApart) c_.fill(c);
  d_.fill(test.c_source == CSource::kIsD ? c : test.d_before);
  for (PlacedOperand* placed : {&a_, &b_, &c_, &d_}) placed->upload();
}

GemmArgs GemmRun::args() const {
  GemmArgs args;
  args.alpha = test_.alpha;
  args.beta = test_.beta;
  if (!test_.null_inputs) {
    args.a = a_.data();
    args.b = b_.data();
  }
  if (test_.c_source == CSource::kApart) args.c = c_.data();
  if (test_.c_source == CSource::kIsD) args.c = d_.data();
  args.d = d_.data();
  return args;
}

Status GemmRun::launch(const GemmPlan& plan) {
  const auto bytes = static_cast<std::int64_t>(plan.workspace_bytes());
  Workspace workspace;
  if (bytes > 0) {
    workspace_.emplace(device_, byte_row(bytes), 1, bytes, 1, kCanary);
    workspace_->fill({});
    workspace_->upload();
    workspace = {workspace_->data(), plan.workspace_bytes()};
  }
  return plan.run(args(), workspace, stream_.get());
}

Expected GemmRun::expected(std::int64_t entry) const {
  const bool product = test_.alpha != 0.0f && test_.problem.k > 0;
  std::vector<float> c;
  if (test_.beta != 0.0f) c = (test_.c_source == CSource::kIsD ? d_ : c_).entry(entry);
  return expect_entry(test_, product ? a_.entry(entry) : std::vector<float>(),
                      product ? b_.entry(entry) : std::vector<float>(), c);
}

std::string GemmRun::d_damage() {
  d_.download();
  return d_.damage();
}

std::string GemmRun::check() {
  if (const std::string fault = device_fault(device_); !fault.empty()) return fault;
  for (PlacedOperand* placed : {&a_, &b_, &c_, &d_}) placed->download();
  if (const std::string damage = a_.damage(); !damage.empty()) return "A was changed: " + damage;
  if (const std::string damage = b_.damage(); !damage.empty()) return "B was changed: " + damage;
  if (const std::string damage = c_.damage(); !damage.empty()) return "C was changed: " + damage;
  for (std::int64_t entry = 0; entry < test_.problem.batch; ++entry) {
    const Expected oracle = expected(entry);  // before D's copy is renewed: C may be D
    d_.accept_entry(entry);
    const std::string wrong = compare_entry(test_, entry, oracle, d_.entry(entry));
    if (!wrong.empty()) return wrong;
  }
  if (const std::string damage = d_.damage(); !damage.empty()) return "D's surroundings: " + damage;
  if (workspace_) {
    workspace_->download();
    workspace_->accept_entry(0);
    if (const std::string damage = workspace_->damage(); !damage.empty()) {
      return "the workspace's surroundings: " + damage;
    }
  }
  return "";
}

}  // namespace tilewright::tests
