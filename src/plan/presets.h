// What measuring taught the planner, as data: which kernel goes first for which cards and shapes.
// A preset only moves a kernel to the front; its reject() still has the last word. Each line names
// the evidence (docs/facts.md) in a comment.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/gemm_row.h"

namespace tilewright {

struct SizeRange {
  std::int64_t min = 0, max = std::numeric_limits<std::int64_t>::max();
  constexpr bool holds(std::int64_t size) const { return min <= size && size <= max; }
};

struct GemmPreset {
  ComputeRange compute;  // 0 to 0 is the CPU
  SizeRange m, n, k;
  std::optional<DType> inputs;  // A's type; any when absent
  std::string_view kernel;
};

constexpr bool matches(const GemmPreset& preset, const GemmProblem& problem,
                       int compute_capability) {
  return preset.compute.min <= compute_capability && compute_capability <= preset.compute.max &&
         preset.m.holds(problem.m) && preset.n.holds(problem.n) && preset.k.holds(problem.k) &&
         (!preset.inputs || *preset.inputs == problem.a.type);
}

// Empty while the order of the registry is the best that is known for every shape.
inline constexpr std::array<GemmPreset, 0> kGemmPresets{};

}  // namespace tilewright
