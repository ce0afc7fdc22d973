#include "plan/gemm_registry.h"

#include <vector>

#include "cpu/ref/gemm_ref.h"
#include "cpu/simd/rows.h"
#include "kernels/gemm/registry.h"

namespace tilewright {

GemmRows gemm_rows() {
  static const std::vector<const GemmRow*> rows = [] {
    std::vector<const GemmRow*> all;
    for (const GemmRow& row : kernels::gemm_cuda_rows()) all.push_back(&row);
    for (const GemmRow& row : gemm_simd_rows()) all.push_back(&row);
    all.push_back(&kGemmCpuReference);
    return all;
  }();
  return rows;
}

}  // namespace tilewright
