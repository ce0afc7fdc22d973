// Runs one GEMM on one SIMD row at one instruction set, with every buffer between unmapped pages,
// and checks it against plain loops in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/gemm_row.h"

namespace tilewright::tests {

// The levels this machine can run, lowest first.
std::vector<DeviceInfo> simd_devices();
// The same with caches so small that every loop over blocks runs more than once.
DeviceInfo with_small_caches(DeviceInfo device);
std::string isa_name(const DeviceInfo& device);

// Memory whose first or last byte lies against a page that faults.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  // All bytes become 0xFF, which is NaN in every type. What it gave before is gone.
  std::byte* place(std::int64_t bytes, bool at_end);

 private:
  std::byte* mapping_ = nullptr;
  std::int64_t usable_bytes_ = 0;
};

enum class CMatrix { kNull, kApart, kIsD };

struct SimdCase {
  std::int64_t m, n, k, batch = 1;
  DType a = DType::kF32, b = DType::kF32, d = DType::kF32;
  Order a_order = Order::kRowMajor, b_order = Order::kRowMajor;
  Order c_order = Order::kRowMajor, d_order = Order::kRowMajor;
  std::int64_t padding = 0;  // of every leading dimension and batch stride
  float alpha = 1.0f, beta = 0.0f;
  CMatrix c = CMatrix::kNull;
  int threads = 1;
  bool at_end = true;  // where the unmapped page is
  std::uint32_t seed = 1;
};

std::string describe(const SimdCase& test);

using Value = std::function<float(std::int64_t entry, std::int64_t row, std::int64_t col)>;

class SimdRun {
 public:
  // Random inputs; a fill given replaces them.
  void prepare(const SimdCase& test, const Value& a = {}, const Value& b = {}, const Value& c = {});
  Status launch(const GemmRow& row, const DeviceInfo& device);
  // What is wrong with D, empty if nothing: each element by its bound, each byte between them.
  std::string check() const;

  double d(std::int64_t entry, std::int64_t row, std::int64_t col) const;
  // The bits of D's elements, row after row.
  std::vector<std::uint32_t> d_bits() const;
  const GemmProblem& problem() const { return problem_; }
  GemmArgs& args() { return args_; }

 private:
  // One entry of A and of B as numbers, K contiguous in both; empty where they are not read.
  struct Factors {
    std::vector<double> a, b;
  };
  Factors factors_of(std::int64_t entry) const;
  // What is wrong with one element.
  std::string check_element(const Factors& factors, std::int64_t entry, std::int64_t row,
                            std::int64_t col) const;

  SimdCase test_;
  GemmProblem problem_;
  GemmArgs args_;
  GuardedBuffer a_, b_, c_, d_;
  std::byte *a_data_ = nullptr, *b_data_ = nullptr, *c_data_ = nullptr, *d_data_ = nullptr;
  std::vector<std::byte> c_before_;
};

// prepare, launch and check; empty when right.
std::string run_simd(SimdRun& run, const SimdCase& test, const GemmRow& row,
                     const DeviceInfo& device);

// Calls body for every row that takes the problem at every level.
void for_each_simd(const GemmProblem& problem,
                   const std::function<void(const GemmRow&, const DeviceInfo&)>& body);

// CPU time of this process that was not the calling thread's, in ns.
std::int64_t other_threads_ns();

}  // namespace tilewright::tests
