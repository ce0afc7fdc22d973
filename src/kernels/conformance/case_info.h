// A conformance case as the host sees it, the same for both targets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/target.h"
#include "hw/tensor_map_spec.h"
#include "tilewright/device.h"
#include "tilewright/status.h"

namespace tilewright::kernels {

// The words that a case is given: any bits; numbers whose sums are exact; numbers in (-1, 1).
enum class Given : std::uint8_t {
  kBits,
  kFloats,  // fp32 in (-1, 1)
  kSmallF16,
  kSmallBF16,
  kSmallTF32,
  kSmallE4M3,
  kSmallE5M2,
  kSmallS8,  // whole numbers
  kUnitF16,
  kUnitBF16,
  kUnitTF32,
  kUnitE4M3,
  kUnitE5M2,  // in (-1, 1)
};

struct CaseInfo {
  const char* name;       // "wgmma.f16.n64"
  const char* functions;  // of src/hw, as a kernel writes them
  int threads = 32;
  int outputs = 32;  // words
  Given given = Given::kBits;
  double bound = 0;  // 0: equal bits; else how far fp32 outputs may lie apart
  int shared_bytes = 0;
  int cluster = 1, clusters = 1;
};

inline constexpr int kGivenWords = 16384;

struct ConformanceRow {
  std::string id;  // unique
  CaseInfo info;
  // Runs the case on `given` and fills `out`.
  Status (*run)(const DeviceInfo& device, std::span<const std::uint32_t> given,
                std::span<std::uint32_t> out);
};

// The cases of all cards from sm_80 on, and those of sm_90.
template <Target>
std::vector<ConformanceRow> conformance_rows();
template <Target>
std::vector<ConformanceRow> conformance_rows_sm90();

}  // namespace tilewright::kernels
