#include "kernels/gemm/registry.h"

#include <fmt/format.h>

#include "layout/raster.h"

namespace tilewright::kernels {
namespace {

constexpr ComputeRange kAmpereAndUp{80, 129}, kHopper{90, 90};

bool is_16_bit(DType type) {
  return type == DType::kF16 || type == DType::kBF16;
}

// A grid is one-dimensional: 2^31 - 1 blocks at most.
template <int kRows, int kColumns>
std::string reject_grid(const GemmProblem& p) {
  constexpr std::int64_t kMost = 0x7fffffff;
  const std::int64_t tiles_m = layout::tiles_of(p.m, kRows),
                     tiles_n = layout::tiles_of(p.n, kColumns);
  if (tiles_m > kMost || tiles_n > kMost || p.batch > kMost || tiles_m * tiles_n > kMost ||
      tiles_m * tiles_n * p.batch > kMost) {
    return fmt::format("{} x {} x {} needs more than 2^31 - 1 tiles of {} x {}", p.batch, p.m, p.n,
                       kRows, kColumns);
  }
  return {};
}

std::string reject_mixed_inputs(const GemmProblem& p) {
  if (p.a.type == p.b.type) return {};
  return fmt::format("A is {} and B is {}; this kernel takes A and B of one type",
                     name_of(p.a.type), name_of(p.b.type));
}

template <int kRows, int kColumns>
std::string reject_any_layout(const GemmProblem& p, const DeviceInfo&) {
  if (auto why = reject_mixed_inputs(p); !why.empty()) return why;
  return reject_grid<kRows, kColumns>(p);
}

// v1's register tile is instantiated for D of the inputs' type or fp32.
std::string reject_v1(const GemmProblem& p, const DeviceInfo& device) {
  if (p.d.type != p.a.type && p.d.type != DType::kF32) {
    return fmt::format("D is {}; this kernel writes the inputs' type ({}) or f32",
                       name_of(p.d.type), name_of(p.a.type));
  }
  return reject_any_layout<128, 128>(p, device);
}

// Rows start 16-byte aligned: the base pointer, the pitch, and the step from matrix to matrix.
std::string reject_unaligned(const char* name, const Operand& operand, bool batched) {
  const std::int64_t per_16_bytes = 16 * 8 / bits_of(operand.type);
  if (operand.alignment_bytes % 16 != 0) {
    return fmt::format("{} may start at a multiple of {} bytes; this kernel needs 16", name,
                       operand.alignment_bytes);
  }
  if (operand.ld % per_16_bytes != 0) {
    return fmt::format(
        "the leading dimension of {} is {}, which is {} bytes of {}; this kernel "
        "needs rows 16-byte aligned, a multiple of {}",
        name, operand.ld, bytes_of(operand.type, operand.ld), name_of(operand.type), per_16_bytes);
  }
  if (batched && operand.batch_stride % per_16_bytes != 0) {
    return fmt::format("the batch stride of {} is {}; this kernel needs a multiple of {}", name,
                       operand.batch_stride, per_16_bytes);
  }
  return {};
}

std::string reject_tensor_core(const GemmProblem& p) {
  if (auto why = reject_mixed_inputs(p); !why.empty()) return why;
  if (!is_16_bit(p.a.type)) {
    return fmt::format("the inputs are {}; this kernel takes f16 and bf16", name_of(p.a.type));
  }
  if (p.d.type != p.a.type && p.d.type != DType::kF32) {
    return fmt::format("D is {}; this kernel writes the inputs' type ({}) or f32",
                       name_of(p.d.type), name_of(p.a.type));
  }
  if (p.a.order != Order::kRowMajor)
    return "A is column-major; this kernel takes A [M,K] row-major";
  if (p.d.order != Order::kRowMajor)
    return "D is column-major; this kernel takes D [M,N] row-major";
  if (p.c.order != Order::kRowMajor)
    return "C is column-major; this kernel takes C [M,N] row-major";
  const bool batched = p.batch > 1;
  if (auto why = reject_unaligned("A", p.a, batched); !why.empty()) return why;
  if (auto why = reject_unaligned("B", p.b, batched); !why.empty()) return why;
  if (auto why = reject_unaligned("D", p.d, batched); !why.empty()) return why;
  if (p.k > (std::int64_t{1} << 35)) return fmt::format("k = {} is above 2^35", p.k);
  return reject_grid<128, 128>(p);
}

std::string reject_wmma(const GemmProblem& p, const DeviceInfo&) {
  if (p.b.order != Order::kRowMajor) {
    return "B is column-major ([N,K] in memory); this kernel takes B [K,N] row-major";
  }
  return reject_tensor_core(p);
}

std::string reject_v4(const GemmProblem& p, const DeviceInfo&) {
  return reject_tensor_core(p);
}

// Tensor maps count elements in 32 bits, and step from matrix to matrix by a stride of their own.
std::string reject_sm90_ring(const GemmProblem& p, const DeviceInfo&) {
  if (auto why = reject_tensor_core(p); !why.empty()) return why;
  if (p.b.order != Order::kColMajor) {
    return "B is row-major ([K,N] in memory); this kernel takes B [N,K], K contiguous";
  }
  constexpr std::int64_t kMost = 0x7fffffff - 256, kStrideEnd = std::int64_t{1} << 39;
  if (p.m > kMost || p.n > kMost || p.k > kMost) {
    return fmt::format("{} x {} x {}: this kernel counts up to {} in every direction", p.m, p.n,
                       p.k, kMost);
  }
  for (const Operand* each : {&p.a, &p.b}) {
    if (each->ld >= kStrideEnd || (p.batch > 1 && each->batch_stride >= kStrideEnd)) {
      return "a leading dimension or batch stride of A or B is 2^39 elements or more";
    }
    if (p.batch > 1 && each->batch_stride <= 0) {
      return fmt::format("a batch stride is {}; this kernel needs one above 0", each->batch_stride);
    }
  }
  return {};
}

std::size_t no_workspace(const GemmProblem&, const DeviceInfo&) {
  return 0;
}

using Launch = decltype(GemmRow::launch);
constexpr Target kCuda = Target::kCuda, kSim = Target::kSim;

constexpr GemmRow ladder_row(std::string_view name, std::string_view summary,
                             decltype(GemmRow::reject) reject, Launch launch, Launch simulate,
                             double simulated_ns) {
  return {name,   Backend::kCuda, kAmpereAndUp, false,    summary,
          reject, no_workspace,   launch,       simulate, simulated_ns};
}

constexpr GemmRow kRows[] = {
    ladder_row("gemm-cuda-ladder-v4",
               "mma.sync from XOR-swizzled tiles, two cp.async stages; 16-byte-aligned rows",
               reject_v4, launch_gemm_v4<kCuda>, launch_gemm_v4<kSim>, 7.0),
    // Behind v4, which is ahead of it from 2048 cubed on (facts.md, Hopper).
    {"gemm-sm90-tma-wgmma-128x128", Backend::kCuda, kHopper, false,
     "TMA with multicast in pairs of blocks, wgmma; A [M,K], B [N,K], 16-byte-aligned rows",
     reject_sm90_ring, no_workspace, launch_gemm_sm90_ring<kCuda>, launch_gemm_sm90_ring<kSim>,
     9.0},
    ladder_row("gemm-cuda-ladder-v3",
               "WMMA with two cp.async stages; A, B, D row-major, 16-byte-aligned rows",
               reject_wmma, launch_gemm_v3<kCuda>, launch_gemm_v3<kSim>, 9.0),
    ladder_row("gemm-cuda-ladder-v2",
               "WMMA in three levels; A, B, D row-major, 16-byte-aligned rows", reject_wmma,
               launch_gemm_v2<kCuda>, launch_gemm_v2<kSim>, 7.0),
    ladder_row("gemm-cuda-ladder-v1", "fp32 units, 8 x 8 register tiles; any order and alignment",
               reject_v1, launch_gemm_v1<kCuda>, launch_gemm_v1<kSim>, 30.0),
    ladder_row("gemm-cuda-ladder-v0", "one output element a thread; any order, alignment and type",
               reject_any_layout<8, 32>, launch_gemm_v0<kCuda>, launch_gemm_v0<kSim>, 40.0),
    {"gemm-cuda-reference", Backend::kCuda, kAmpereAndUp, true,
     "the oracle on the card: double sums, one rounding", reject_any_layout<32, 32>, no_workspace,
     launch_gemm_reference<kCuda>, launch_gemm_reference<kSim>, 1200.0},
};

}  // namespace

std::span<const GemmRow> gemm_cuda_rows() {
  return kRows;
}

}  // namespace tilewright::kernels
