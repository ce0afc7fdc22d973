#include "measure/stats/speed_of_light.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

struct Rate {
  int compute_capability;
  double half, single;  // FLOP a clock an SM: f16 and bf16 with fp32 sums, f32
};

// From NVIDIA's architecture white papers: peak rate / (boost clock x SMs). Where GeForce cards run
// fp32 sums at half rate (8.6, 8.9, 12.0) the professional card's rate stands: it is a limit.
constexpr std::array kRates = {
    Rate{80, 2048, 128},   // A100: 312 TFLOP/s, 1.41 GHz, 108 SMs
    Rate{86, 1024, 256},   // A40: 150 TFLOP/s, 1.74 GHz, 84 SMs
    Rate{89, 1024, 256},   // L40S: 362 TFLOP/s, 2.52 GHz, 142 SMs
    Rate{90, 4096, 256},   // H100 SXM: 989 TFLOP/s, 1.83 GHz, 132 SMs
    Rate{100, 8192, 256},  // B200: 2250 TFLOP/s, 1.85 GHz, 148 SMs
    Rate{103, 8192, 256},  // B300: the same for half types
    Rate{120, 1024, 256},  // RTX PRO 6000: 504 TFLOP/s, 2.62 GHz, 188 SMs
};

double matrix_bytes(const Operand& operand, std::int64_t rows, std::int64_t columns,
                    std::int64_t batch) {
  const std::int64_t matrices = operand.batch_stride == 0 ? 1 : batch;
  return static_cast<double>(bytes_of(operand.type, rows * columns)) *
         static_cast<double>(matrices);
}

}  // namespace

std::optional<double> flops_per_clock(int compute_capability, DType inputs) {
  for (const Rate& rate : kRates) {
    if (rate.compute_capability != compute_capability) continue;
    if (inputs == DType::kF16 || inputs == DType::kBF16) return rate.half;
    if (inputs == DType::kF32) return rate.single;
  }
  return std::nullopt;
}

Traffic traffic_of(const GemmProblem& problem) {
  return {matrix_bytes(problem.a, problem.m, problem.k, problem.batch) +
              matrix_bytes(problem.b, problem.k, problem.n, problem.batch),
          matrix_bytes(problem.d, problem.m, problem.n, problem.batch)};
}

SpeedOfLight speed_of_light(const GemmProblem& problem, const DeviceInfo& device,
                            std::optional<double> sm_mhz, const Bandwidths& bandwidths) {
  SpeedOfLight out;
  if (device.backend == Backend::kCuda && sm_mhz && *sm_mhz > 0) {
    if (const auto rate = flops_per_clock(device.compute_capability(), problem.a.type)) {
      // FLOP / (FLOP a clock x clocks a ns)
      out.arithmetic_ns = flops_of(problem) / (*rate * device.gpu.sm_count * *sm_mhz * 1e-3);
    }
  }
  if (bandwidths.read_gbs > 0 && bandwidths.copy_gbs > 0) {
    const Traffic traffic = traffic_of(problem);
    const double write_ns = std::max(2 / bandwidths.copy_gbs - 1 / bandwidths.read_gbs, 0.0);
    out.bytes_ns = traffic.read_bytes / bandwidths.read_gbs + traffic.written_bytes * write_ns;
  }
  if (!out.arithmetic_ns && !out.bytes_ns) return out;
  const double arithmetic = out.arithmetic_ns.value_or(0), bytes = out.bytes_ns.value_or(0);
  out.time_ns = std::max(arithmetic, bytes);
  out.binds = arithmetic >= bytes ? "arithmetic" : "bytes";
  return out;
}

std::string impossible(const GemmProblem& problem, const DeviceInfo& device, double time_ns,
                       std::optional<int> highest_sm_mhz, bool cold) {
  if (device.backend != Backend::kCuda) return "";
  const int mhz = highest_sm_mhz.value_or(device.gpu.sm_clock_khz / 1000);
  const auto rate = flops_per_clock(device.compute_capability(), problem.a.type);
  if (rate && mhz > 0 && device.gpu.sm_count > 0) {
    const double least = flops_of(problem) / (*rate * device.gpu.sm_count * mhz * 1e-3);
    if (time_ns < least) {
      return fmt::format(
          "above peak: {:.3g} us, and the arithmetic alone needs {:.3g} us at {} MHz",
          time_ns * 1e-3, least * 1e-3, mhz);
    }
  }
  // Two transfers a clock on every pin.
  const double pins_gbs = 2e-6 * device.gpu.memory_clock_khz * device.gpu.memory_bus_bits / 8;
  if (cold && pins_gbs > 0) {
    // What was written last may still lie in the cache when the call ends.
    const Traffic traffic = traffic_of(problem);
    const auto cache = static_cast<double>(device.gpu.l2_bytes);
    const double bytes = traffic.read_bytes + std::max(traffic.written_bytes - cache, 0.0);
    const double least = bytes / pins_gbs;
    if (time_ns < least) {
      return fmt::format(
          "above peak: {:.3g} us, and moving its operands once needs {:.3g} us at the memory's "
          "{:.0f} GB/s",
          time_ns * 1e-3, least * 1e-3, pins_gbs);
    }
  }
  return "";
}

}  // namespace tilewright::measure
