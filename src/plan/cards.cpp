// Cards that can be planned for without having one. Figures are the public datasheets' and, where
// those are silent (shared memory, exact L2), the CUDA programming guide's tables for the compute
// capability. Bandwidth follows as memory clock x 2 x bus width / 8.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "tilewright/device.h"

namespace tilewright {
namespace {

constexpr std::int64_t kKiB = std::int64_t{1} << 10, kMiB = kKiB << 10, kGiB = kMiB << 10;

struct Card {
  std::string_view id, name;
  int compute_capability;  // 90 is 9.0
  int sm_count, sm_clock_mhz, memory_clock_mhz, memory_bus_bits, memory_gib, l2_mib;
};

// clang-format off
constexpr std::array kCards = {
    //   id         name                           cc  SMs   MHz memory MHz  bits  GiB  L2
    Card{"t4",      "Tesla T4",                    75,  40, 1590,      5001,  256,  16,   4},
    Card{"a100",    "NVIDIA A100-SXM4-80GB",       80, 108, 1410,      1593, 5120,  80,  40},
    Card{"a10",     "NVIDIA A10",                  86,  72, 1695,      6251,  384,  24,   6},
    Card{"rtx3090", "NVIDIA GeForce RTX 3090",     86,  82, 1695,      9751,  384,  24,   6},
    Card{"l4",      "NVIDIA L4",                   89,  58, 2040,      6251,  192,  24,  48},
    Card{"l40s",    "NVIDIA L40S",                 89, 142, 2520,      9001,  384,  48,  96},
    Card{"rtx4090", "NVIDIA GeForce RTX 4090",     89, 128, 2520,     10501,  384,  24,  72},
    Card{"h100",    "NVIDIA H100 80GB HBM3",       90, 132, 1980,      2619, 5120,  80,  50},
    Card{"h200",    "NVIDIA H200",                 90, 132, 1980,      3201, 6144, 141,  60},
    Card{"b200",    "NVIDIA B200",                100, 148, 1965,      3996, 8192, 180, 126},
    Card{"rtx5090", "NVIDIA GeForce RTX 5090",    120, 170, 2407,     14001,  512,  32,  96},
};
// clang-format on

std::int64_t shared_per_sm_bytes(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return 64 * kKiB;
    case 80:
      return 164 * kKiB;
    case 90:
    case 100:
      return 228 * kKiB;
    default:
      return 100 * kKiB;  // 8.6, 8.9, 12.0
  }
}

// From 8.0 on the system keeps 1 KiB a block for itself.
std::int64_t shared_per_block_bytes(int compute_capability) {
  const std::int64_t kept = compute_capability >= 80 ? kKiB : 0;
  return shared_per_sm_bytes(compute_capability) - kept;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

}  // namespace

std::vector<std::string_view> card_names() {
  std::vector<std::string_view> names;
  for (const Card& card : kCards) names.push_back(card.id);
  return names;
}

Result<DeviceInfo> card(std::string_view name) {
  const auto found = std::ranges::find(kCards, lower_case(name), &Card::id);
  if (found == kCards.end()) {
    return Status::invalid(fmt::format("card = \"{}\" is not known; {} are accepted", name,
                                       fmt::join(card_names(), ", ")));
  }
  DeviceInfo device;
  device.backend = Backend::kCuda;
  device.name = found->name;
  device.cpu = cpu_device().cpu;
  device.gpu = {.uuid = "",
                .compute_major = found->compute_capability / 10,
                .compute_minor = found->compute_capability % 10,
                .sm_count = found->sm_count,
                .sm_clock_khz = found->sm_clock_mhz * 1000,
                .memory_clock_khz = found->memory_clock_mhz * 1000,
                .memory_bus_bits = found->memory_bus_bits,
                .memory_bytes = found->memory_gib * kGiB,
                .l2_bytes = found->l2_mib * kMiB,
                .shared_per_block_bytes = shared_per_block_bytes(found->compute_capability),
                .shared_per_sm_bytes = shared_per_sm_bytes(found->compute_capability)};
  return device;
}

Result<DeviceInfo> sim_device(std::string_view name) {
  Result<DeviceInfo> device = card(name);
  if (device) {
    device->backend = Backend::kSim;
    device->name += " (simulated)";
  }
  return device;
}

}  // namespace tilewright
