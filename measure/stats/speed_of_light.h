// How fast the ideal device would be, and what no device can be.
#pragma once

#include <optional>
#include <string>

#include "measure/record/result.h"
#include "tilewright/device.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

// FLOP a clock an SM at the architecture's whole rate, sums in fp32; absent where it is not known.
// `inputs`: f16 and bf16 by tensor cores, f32 by fused multiply-adds.
std::optional<double> flops_per_clock(int compute_capability, DType inputs);

// Compulsory traffic of one launch: every input read once, the output written once.
struct Traffic {
  double read_bytes = 0, written_bytes = 0;
};
Traffic traffic_of(const GemmProblem& problem);

struct SpeedOfLight {
  std::optional<double> arithmetic_ns, bytes_ns;  // absent where the rate is not known
  std::optional<double> time_ns;                  // the larger
  std::string binds;                              // "arithmetic" or "bytes"; empty for neither
};

// At an SM clock of `sm_mhz`. Writing costs what a copy takes beyond its read: bytes x (2 / copy -
// 1 / read).
SpeedOfLight speed_of_light(const GemmProblem& problem, const DeviceInfo& device,
                            std::optional<double> sm_mhz, const Bandwidths& bandwidths);

// Why a time cannot be, a sentence; empty when it can: below the arithmetic at the highest clock
// or, with cold operands, below the compulsory bytes (less what the cache can still hold of the
// output) at the rate of the memory's pins. The measured bandwidths are no limit, since a good
// kernel passes them.
std::string impossible(const GemmProblem& problem, const DeviceInfo& device, double time_ns,
                       std::optional<int> highest_sm_mhz, bool cold);

}  // namespace tilewright::measure
