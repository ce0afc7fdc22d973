// Runs one GEMM problem on one kernel and checks everything that a caller can see: each element
// against an oracle of plain double loops, unwritten elements, canaries around and between rows,
// inputs and workspace left alone, and the device's own errors.
//
// The oracle follows the index formula of include/tilewright/gemm.h and shares no code with src/
// but the number formats, which have exhaustive tests of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ops/memory_harness.h"
#include "tilewright/gemm.h"

namespace tilewright::tests {

// Fresh at every run: TILEWRIGHT_TEST_SEED if set, else --gtest_random_seed, else the clock.
// Failures print it.
std::uint64_t test_seed();

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  float uniform();  // in [-1, 1)
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

 private:
  std::uint64_t state_;
};

// The value of an element before it is rounded to the operand's type.
using Fill = std::function<float(std::int64_t entry, std::int64_t row, std::int64_t column)>;
Fill all(float value);

enum class CSource { kNone, kApart, kIsD };

struct GemmCase {
  GemmProblem problem;
  float alpha = 1.0f, beta = 0.0f;
  CSource c_source = CSource::kNone;
  int cpu_threads = 0;
  bool own_stream = false;
  bool null_inputs = false;     // A and B null: only where they are never read
  bool special_values = false;  // NaN, Inf or overflow is meant: compare the class of each element
  Fill a, b, c;                 // empty: random
  Fill d_before;                // empty: every byte 0xFF, which is NaN in every type here
  Fill exact;                   // if set, D must equal this and nothing else
  std::uint64_t seed = 0;
};

std::string describe(const GemmCase& test);

// An operand of a rows x columns matrix whose lines are `padding` elements apart.
Operand operand(DType type, Order order, std::int64_t rows, std::int64_t columns,
                std::int64_t padding = 0, int alignment_bytes = 16);
// Sets each batch stride to one whole matrix and `padding` elements.
void stack_batch(GemmProblem& problem, std::int64_t padding = 0);
GemmProblem packed_gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType inputs, DType output,
                        Order a, Order b, Order d);

// One batch entry as the oracle has it, M x N, row after row.
struct Expected {
  std::vector<double> value;
  std::vector<double> product_magnitude;  // sum |a * b| * |alpha|
  std::vector<double> added_magnitude;    // |beta * c|
};

// The oracle: `a`, `b` and `c` are one entry each, row after row; those that are not read may be
// empty.
Expected expect_entry(const GemmCase& test, const std::vector<float>& a,
                      const std::vector<float>& b, const std::vector<float>& c);

// The largest |d - value| that fp32 accumulation of any order can explain.
double hard_bound(const GemmProblem& problem, const Expected& expected, std::size_t element);

// Compares one entry; empty when it holds. `got` is D's entry, M x N, row after row.
std::string compare_entry(const GemmCase& test, std::int64_t entry, const Expected& expected,
                          const std::vector<float>& got);

// An operand in memory of the device: canaries, the matrices, canaries, and a host copy of it all.
class PlacedOperand {
 public:
  // `guard` fills what is not an element: NaN where a kernel reads, a canary where it writes.
  PlacedOperand(const DeviceInfo& device, const Operand& layout, std::int64_t rows,
                std::int64_t columns, std::int64_t batch, std::byte guard);

  void fill(const Fill& value);
  void upload();
  void download();
  std::byte* data() const { return memory_.data() + first_; }

  // Of the host copy, row after row.
  std::vector<float> entry(std::int64_t entry) const;
  // Takes over what the entry's elements were at the last download(): damage() looks at all other
  // bytes from then on.
  void accept_entry(std::int64_t entry);
  // What differed from the host copy at the last download(); empty if nothing.
  std::string damage() const;

 private:
  std::int64_t line_offset(std::int64_t entry, std::int64_t line) const;

  Operand layout_;
  std::int64_t rows_, columns_, batch_, lines_, line_elements_;
  std::int64_t first_ = 0;
  std::vector<std::byte> image_, downloaded_;
  Memory memory_;
};

class GemmRun {
 public:
  GemmRun(const GemmCase& test, const DeviceInfo& device);

  GemmArgs args() const;
  Status launch(const GemmPlan& plan);
  // Empty when the run was right. Call once.
  std::string check();
  // Empty when D and all around it is what it was before.
  std::string d_damage();
  // Entry of D as check() found it.
  std::vector<float> d_entry(std::int64_t entry) const { return d_.entry(entry); }
  // The oracle's entry; before check() where C is D.
  Expected expected(std::int64_t entry) const;

 private:
  const GemmCase test_;
  DeviceInfo device_;
  PlacedOperand a_, b_, c_, d_;
  std::optional<PlacedOperand> workspace_;
  TestStream stream_;
};

struct Outcome {
  bool accepted = false;
  std::string text;  // accepted: what is wrong, empty if nothing; else the refusal
};
// Plans `kernel` (empty: the planner's choice), runs it, checks it.
Outcome run_and_check(const GemmCase& test, const DeviceInfo& device, std::string_view kernel);

// Rows of the device's backend whose compute range holds the device.
std::vector<KernelInfo> rows_for(const DeviceInfo& device);

// Runs on the planner's choice and on every row of the device that takes the case; fails the
// present test where a result is wrong. Returns the names of the rows that took it.
std::vector<std::string> expect_right_everywhere(const GemmCase& test, const DeviceInfo& device);

}  // namespace tilewright::tests
