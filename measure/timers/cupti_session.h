// CUPTI's activity interface, by dlopen: one session a process, since before version 13.1 a second
// one reads wrong ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/timers/activity.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// The functions that are used, so that a test can stand in for the library. Types as in cupti.h,
// whose header is not needed: a result is 0 for success, `void*` stands for opaque pointers.
struct CuptiApi {
  int (*register_callbacks)(void (*request)(std::uint8_t** buffer, std::size_t* size,
                                            std::size_t* max_records),
                            void (*complete)(void* context, std::uint32_t stream,
                                             std::uint8_t* buffer, std::size_t size,
                                             std::size_t valid_size)) = nullptr;
  int (*enable)(int kind) = nullptr;
  int (*flush_all)(std::uint32_t flag) = nullptr;
  int (*next_record)(std::uint8_t* buffer, std::size_t valid_size, void** record) = nullptr;
  int (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
  int (*version)(std::uint32_t* version) = nullptr;
  int (*result_string)(int result, const char** text) = nullptr;
};

class CuptiSession {
 public:
  // The process's one session; made at the first call. Fails in a sentence that says what to install
  // or to permit. `least_version` is a floor such as 12 or 130001 (0: 12).
  static Result<CuptiSession*> open(int least_version);
  // The same with functions that are given, for tests: a session of its own, never the process's.
  static Result<CuptiSession*> open_with(const CuptiApi& api, std::string path, int least_version);

  const std::string& path() const;      // of the library that was loaded
  std::uint32_t version() const;        // as CUPTI counts: 130001, or 24 for the older ones

  // Drops what was recorded so far. The device must be idle.
  Status begin();
  struct Taken {
    std::vector<ActivityRecord> records;
    std::optional<std::uint64_t> lost;  // absent: the count could not be read
  };
  // What was recorded since begin(). The device must be idle.
  Result<Taken> take();
};

}  // namespace tilewright::measure
