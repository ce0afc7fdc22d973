#include "cpu/simd/rows.h"

#include <algorithm>
#include <string>

#include "cpu/simd/launch.h"

namespace tilewright {
namespace simd {
namespace {

std::string reject_types(const GemmProblem& problem) {
  for (const auto& [name, type] : {std::pair{"a", problem.a.type}, std::pair{"b", problem.b.type},
                                   std::pair{"d", problem.d.type}}) {
    if (type == DType::kF32 || type == DType::kF16 || type == DType::kBF16) continue;
    return std::string(name) + " is " + std::string(name_of(type)) +
           "; this kernel takes f32, f16 and bf16";
  }
  return {};
}

std::string reject_packed(const GemmProblem& problem, const DeviceInfo&) {
  return reject_types(problem);
}

std::string reject_thin(const GemmProblem& problem, const DeviceInfo&) {
  const std::int64_t thin = std::min(problem.m, problem.n);
  if (thin > kMaxThinColumns) {
    return "min(m, n) = " + std::to_string(thin) + " is above " + std::to_string(kMaxThinColumns);
  }
  return reject_types(problem);
}

std::size_t no_workspace(const GemmProblem&, const DeviceInfo&) {
  return 0;
}

constexpr GemmRow kRows[] = {
    {.name = "gemm-cpu-simd-thin",
     .backend = Backend::kCpu,
     .compute = {},
     .is_reference = false,
     .summary = "few rows or few columns: the long operand is read once, without packing",
     .reject = reject_thin,
     .workspace = no_workspace,
     .launch = thin_launch},
    {.name = "gemm-cpu-simd-packed",
     .backend = Backend::kCpu,
     .compute = {},
     .is_reference = false,
     .summary = "packed fp32 panels and a register tile in AVX-512, AVX2 or SSSE3",
     .reject = reject_packed,
     .workspace = no_workspace,
     .launch = packed_launch},
};

}  // namespace

void scale_c(const Product& product, const SimdKernels& kernels) {
  constexpr std::int64_t kColumns = 1024;
  alignas(64) static constexpr float kZeros[kColumns] = {};
  for (std::int64_t entry = 0; entry < product.batch; ++entry) {
    for (std::int64_t row = 0; row < product.m; ++row) {
      for (std::int64_t col = 0; col < product.n; col += kColumns) {
        kernels.finish[static_cast<int>(product.d.type)](
            {1, std::min(kColumns, product.n - col), kZeros, 0, nullptr, 0, 0.0f, product.beta,
             product.beta != 0.0f ? product.c.at(entry, row, col) : nullptr, product.c.row_stride,
             product.c.col_stride, product.d_at(entry, row, col), product.d.row_stride});
      }
    }
  }
}

Status no_memory(std::int64_t floats) {
  return {StatusCode::kDeviceError,
          "no memory for " + std::to_string(floats * 4) +
              " bytes of packed operands; free some or use fewer threads"};
}

}  // namespace simd

std::span<const GemmRow> gemm_simd_rows() {
  return simd::kRows;
}

}  // namespace tilewright
