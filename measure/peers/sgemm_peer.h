// What the peers that speak BLAS's sgemm share: the map from a GemmProblem to row-major sgemm
// arguments, the loop over the batch, and what a two-operand interface does for a C apart from D.
#pragma once

#include <cstdint>
#include <string_view>

#include "measure/peers/implementation.h"

namespace tilewright::measure {

// One product as a row-major sgemm sees it. For a column-major D the roles are exchanged
// (D^T = B^T A^T), so `left` is B there and m, n are the rows and columns of D^T.
struct SgemmShape {
  bool left_is_b = false;
  bool transpose_left = false, transpose_right = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t ld_left = 1, ld_right = 1, ld_out = 1;
};

SgemmShape sgemm_shape(const GemmProblem& problem);

// Refuses, in a sentence that begins with `id`, what no sgemm takes: other types, other devices.
Status check_sgemm(std::string_view id, const GemmProblem& problem, const DeviceInfo& device);

class PreparedSgemm : public PreparedGemm {
 public:
  explicit PreparedSgemm(const GemmProblem& problem)
      : shape_(sgemm_shape(problem)), problem_(problem) {}

  Status run(const GemmArgs& args, Stream stream) final;

 protected:
  struct Call {
    const float *left, *right;
    float* out;
    float alpha, beta;
  };
  virtual Status multiply(const SgemmShape& shape, const Call& call) = 0;

 private:
  SgemmShape shape_;
  GemmProblem problem_;
};

}  // namespace tilewright::measure
