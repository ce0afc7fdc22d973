// D = alpha * A * B + beta * C.   A is M x K, B is K x N, C and D are M x N.
//
// Promises, for every kernel: products are summed in fp32 or wider, whatever the operand types.
// beta = 0 never reads C (it may be null, or hold NaN); alpha = 0 or K = 0 never reads A or B.
// M, N, K and batch may be 0: M, N or batch = 0 does nothing, K = 0 gives D = beta * C (whose zeros
// may change their sign).
// Sizes, leading dimensions and batch strides are 64-bit and count elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device.h"
#include "tilewright/dtype.h"
#include "tilewright/status.h"

namespace tilewright {

enum class Order : std::uint8_t {
  kRowMajor,  // element (r, c) at r * ld + c, ld >= columns
  kColMajor,  // element (r, c) at r + c * ld, ld >= rows
};

struct Operand {
  DType type = DType::kF16;
  Order order = Order::kRowMajor;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;  // 0 for A, B, C: one matrix shared by the whole batch
  int alignment_bytes = 16;       // what every pointer given to run() will be a multiple of
};

struct Epilogue {};  // later: bias, activation, scales

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  Operand a{}, b{}, c{}, d{};  // C has D's type; its strides count only where beta is not 0, its
                               // order takes part in the choice
  Epilogue epilogue{};
};

// The default order: A [M,K] and B [N,K], both K-contiguous (B is the K x N matrix in column-major
// order), C and D [M,N] row-major, everything packed.
GemmProblem default_gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType inputs,
                         DType output);

struct EpilogueArgs {};

struct GemmArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;  // null, or D itself with D's order and strides, or memory apart from D
  void* d = nullptr;
  float alpha = 1.0f, beta = 0.0f;
  EpilogueArgs epilogue{};
};

struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

struct Stream {
  void* handle = nullptr;  // a cudaStream_t; null is the default stream. Ignored on the CPU
};

struct PlanOptions {
  std::string kernel;   // an id of `tilewright list gemm`; empty: the planner chooses
  int cpu_threads = 0;  // 0: as many as the device has usable cores
};

struct Rejection {
  std::string kernel;
  std::string reason;  // one sentence; empty for the kernel that is taken
};

// Immutable, cheap to copy, safe to use from several threads.
class GemmPlan {
 public:
  std::string_view kernel_name() const;
  std::size_t workspace_bytes() const;
  const GemmProblem& problem() const;

  // Checks the arguments, then launches on `stream`. Never allocates device memory, synchronises,
  // or reads the environment; may be captured in a CUDA graph. On the CPU it returns when D is
  // written.
  Status run(const GemmArgs& args, Workspace workspace = {}, Stream stream = {}) const;

  struct State;
  explicit GemmPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// kInvalidArgument for a problem that is wrong anywhere, kUnsupported when no kernel takes it.
Result<GemmPlan> plan_gemm(const GemmProblem& problem, const DeviceInfo& device,
                           const PlanOptions& options = {});

// Every kernel of every backend in the order they are tried: the one taken has an empty reason.
std::vector<Rejection> explain_gemm(const GemmProblem& problem, const DeviceInfo& device);

// One line of `tilewright list gemm`.
struct KernelInfo {
  std::string_view name;
  Backend backend;
  int min_compute_capability = 0, max_compute_capability = 0;  // 80 is 8.0; 0 on the CPU
  bool is_reference = false;  // an oracle: right before fast. Chosen when named, and on the CPU
                              // also for what no other row takes
  std::string_view summary;
};
std::vector<KernelInfo> list_gemm();

// Plans and runs in one call, for people in a hurry. The kernel must need no workspace.
Status gemm(const GemmProblem& problem, const GemmArgs& args, const DeviceInfo& device,
            Stream stream = {});

}  // namespace tilewright
