// From a case to a row of the table: its kernel, and how the host runs it once.
#pragma once

#include <array>

#include "hw/device_words.h"
#include "hw/launch.h"
#include "kernels/conformance/case.h"

namespace tilewright::kernels::inline TW_TARGET {

struct CaseParams {
  GivenWords given;
  Words out;
};

template <class Case>
TW_KERNEL(Case::kInfo.threads, 1)
conformance_kernel(const CaseParams p) {
  Case::run(p.given, p.out);
}

// Copies the words, launches what `launch(given, out, shape, context)` launches, and reads the
// result.
template <class Launch>
Status run_once(const CaseInfo& info, const DeviceInfo& device,
                std::span<const std::uint32_t> given, std::span<std::uint32_t> out, Launch launch) {
  const hw::DeviceWords in(given), result(out);
  if (Status status = in.status(); !status.ok()) return status;
  if (Status status = result.status(); !status.ok()) return status;
  const std::array<MemoryRange, 2> memory = {
      MemoryRange{in.data(), static_cast<std::int64_t>(given.size_bytes()), false,
                  "the given words"},
      MemoryRange{result.data(), static_cast<std::int64_t>(out.size_bytes()), true, "the output"}};
  const hw::LaunchShape shape = {.blocks = static_cast<std::uint64_t>(info.cluster * info.clusters),
                                 .threads = info.threads,
                                 .shared_bytes = info.shared_bytes,
                                 .cluster = info.cluster};
  const hw::LaunchContext context = {
      .name = info.name, .device = device, .stream = {}, .memory = memory};
  if (Status status = launch(in.data(), result.data(), shape, context); !status.ok()) return status;
  return result.download(out);
}

template <class Case>
Status run_case(const DeviceInfo& device, std::span<const std::uint32_t> given,
                std::span<std::uint32_t> out) {
  return run_once(
      Case::kInfo, device, given, out,
      [](const std::uint32_t* in, std::uint32_t* result, const hw::LaunchShape& shape,
         const hw::LaunchContext& context) {
        return hw::launch(conformance_kernel<Case>, CaseParams{{in}, {result}}, shape, context);
      });
}

// A case's name, or what a family of cases makes of it.
template <class Case>
std::string id_of() {
  if constexpr (requires { Case::id(); }) {
    return Case::id();
  } else {
    return Case::kInfo.name;
  }
}

template <class... Cases>
void add_rows(std::vector<ConformanceRow>& rows) {
  (rows.push_back({id_of<Cases>(), Cases::kInfo, run_case<Cases>}), ...);
}

}  // namespace tilewright::kernels::inline TW_TARGET
