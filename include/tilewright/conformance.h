// Does the simulator do what a card does? One case for every function of the device vocabulary,
// run on a device and compared word by word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/device.h"
#include "tilewright/status.h"

namespace tilewright {

struct ConformanceCase {
  std::string id;         // "wgmma.f16.n64.ss.kk.128"
  std::string functions;  // that it calls, with spaces between them
  // 0 where the result is defined to the bit. Else the case sums fp32 in tensor cores, which cut
  // bits off in a way of their own, and this is by how much two of its results may differ.
  double bound = 0;
};

// The cases that `device` can run: backends kCuda and kSim, by compute capability.
std::vector<ConformanceCase> conformance_cases(const DeviceInfo& device);

// Runs one case on inputs drawn from `seed` and gives its output. Words are bits; where there is a
// bound, bits of fp32 numbers.
Result<std::vector<std::uint32_t>> run_conformance_case(const std::string& id,
                                                        const DeviceInfo& device,
                                                        std::uint64_t seed = 1);

struct ConformanceDifference {
  std::int64_t words = 0;  // that differ in a bit
  double largest = 0;      // difference of two numbers, where there is a bound
  bool passed = false;
  std::string failure;  // the first difference, in a sentence
};

// Holds the output of a case on one device against that on another.
ConformanceDifference compare_conformance(const ConformanceCase& of,
                                          const std::vector<std::uint32_t>& one,
                                          const std::vector<std::uint32_t>& other);

// Sixty-four bits that stand for an output (FNV-1a over its bytes, low byte of a word first).
std::uint64_t conformance_digest(const std::vector<std::uint32_t>& words);

}  // namespace tilewright
