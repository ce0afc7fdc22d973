// NVML's functions as they are used here, in prototypes of our own, so that no header of it is
// needed and a test can stand in for the library. Every function returns 0 for success.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "measure/cards/card.h"

namespace tilewright::measure {

struct NvmlFieldValue {
  std::uint32_t field = 0, scope = 0;
  std::int64_t timestamp_us = 0, latency_us = 0;
  std::int32_t type = 0;    // 0 double, 1 uint, 2 ulong, 3 ulonglong, 4 longlong, 5 int, 6 ushort
  std::int32_t result = 0;  // of this field alone
  std::uint64_t value = 0;  // its bits, low ones first
};

struct NvmlProcess {
  std::uint32_t pid = 0;
  std::uint64_t used_bytes = 0;  // all bits set: not available
  std::uint32_t gpu_instance = 0, compute_instance = 0;
};

struct NvmlMemory {
  std::uint64_t total = 0, free = 0, used = 0;
};

struct NvmlUtilisation {
  std::uint32_t gpu = 0, memory = 0;  // percent
};

struct NvmlApi {
  int (*init)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*handle_by_uuid)(const char*, void**) = nullptr;
  int (*clock)(void*, int kind, std::uint32_t* mhz) = nullptr;          // kind 1: SM, 2: memory
  int (*highest_clock)(void*, int kind, std::uint32_t* mhz) = nullptr;  // likewise
  int (*temperature)(void*, int sensor, std::uint32_t* celsius) = nullptr;
  int (*event_reasons)(void*, unsigned long long* bits) = nullptr;
  int (*field_values)(void*, int count, NvmlFieldValue*) = nullptr;
  int (*compute_processes)(void*, std::uint32_t* count, NvmlProcess*) = nullptr;
  int (*process_name)(std::uint32_t pid, char* name, std::uint32_t length) = nullptr;
  int (*memory)(void*, NvmlMemory*) = nullptr;
  int (*utilisation)(void*, NvmlUtilisation*) = nullptr;
  int (*power_limit)(void*, std::uint32_t* mw) = nullptr;
  int (*driver_version)(char* text, std::uint32_t length) = nullptr;
};

// `missing` is why there is no library; the functions are used where it is empty. One that is null
// counts as one that fails.
std::unique_ptr<Card> make_nvml_card_with(const NvmlApi& api, const std::string& uuid,
                                          std::string missing);

}  // namespace tilewright::measure
