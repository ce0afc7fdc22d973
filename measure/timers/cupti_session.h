// CUPTI's activity interface, by dlopen: one session a process, since before version 13.1 a second
// one reads wrong ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/timers/activity.h"
#include "tilewright/status.h"

namespace tilewright::measure {

// The functions that are used, in prototypes of our own, so that no header of CUPTI is needed and a
// test can stand in for the library. A result is 0 for success.
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

// The callbacks carry no context, so what they fill is the process's, and only one session is used
// at a time.
class CuptiSession {
 public:
  // The process's session; made at the first call. Fails in a sentence that says what to install or
  // to permit. `least_version` is as people say it (12, 13) or as CUPTI counts (130001).
  static Result<CuptiSession*> open(int least_version);
  // One with functions that are given, for tests.
  static Result<std::unique_ptr<CuptiSession>> open_with(const CuptiApi& api, std::string path,
                                                         int least_version);

  const std::string& path() const { return path_; }   // of the library that was loaded
  std::uint32_t version() const { return version_; }  // 130001; before CUDA 12.4 small numbers

  // Drops what was recorded so far. The device must be idle.
  Status begin();
  struct Taken {
    std::vector<ActivityRecord> records;
    std::optional<std::uint64_t> lost;  // absent: the count could not be read
  };
  // What was recorded since begin(). The device must be idle.
  Result<Taken> take();

 private:
  CuptiSession(const CuptiApi& api, std::string path) : api_(api), path_(std::move(path)) {}
  Status start(int least_version);
  Status refused(const char* call, int result) const;

  CuptiApi api_;
  std::string path_;
  std::uint32_t version_ = 0;
};

struct CuptiLibrary {
  std::string path;
  std::int64_t version = 0;
};
// Of the process's session; empty before it is open.
CuptiLibrary cupti_library();

}  // namespace tilewright::measure
