#include "measure/timers/cupti_session.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "measure/peers/dynamic_library.h"

namespace tilewright::measure {
namespace {

// Kinds and results as CUPTI numbers them.
constexpr std::int32_t kMemcpy = 1, kMemset = 2, kKernel = 10;
constexpr int kMaxLimitReached = 12, kMissingPrivilege = 35, kOtherSubscriber = 39,
              kMissingPrivilegeVirtual = 40;
constexpr std::uint32_t kForced = 1;  // flush buffers that are not full as well
constexpr std::size_t kBufferBytes = std::size_t{4} << 20, kBufferAlignment = 8;

// Where fields lie in a record; the same in CUPTI 11.1 to 13.0 (looked up in its headers with
// offsetof: CUpti_ActivityKernel5 .. 10, Memcpy4 .. 6, Memset3 .. 4), since later ones only append.
constexpr std::size_t kStartAt = 16, kEndAt = 24, kKernelStreamAt = 48, kCopyStreamAt = 40,
                      kKernelNameAt = 104;

template <class T>
T field(const void* record, std::size_t at) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(record) + at, sizeof value);
  return value;
}

struct Completed {
  std::uint8_t* buffer = nullptr;
  std::size_t valid_bytes = 0;
};

// Filled by CUPTI's own thread.
std::mutex g_mutex;
std::vector<Completed> g_completed;
CuptiSession* g_session = nullptr;

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

void complete_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                     std::size_t valid_size) {
  const std::lock_guard lock(g_mutex);
  g_completed.push_back({buffer, valid_size});
}

std::vector<Completed> take_completed() {
  const std::lock_guard lock(g_mutex);
  return std::exchange(g_completed, {});
}

std::optional<ActivityRecord> read_record(const void* record) {
  const auto kind = field<std::int32_t>(record, 0);
  ActivityRecord out;
  if (kind == kKernel) {
    const auto* name = field<const char*>(record, kKernelNameAt);
    out.name = name == nullptr ? "a kernel without a name" : name;
    out.stream = field<std::uint32_t>(record, kKernelStreamAt);
  } else if (kind == kMemset || kind == kMemcpy) {
    out.kind = kind == kMemset ? ActivityRecord::Kind::kMemset : ActivityRecord::Kind::kMemcpy;
    out.name = kind == kMemset ? "memset" : "memcpy";
    out.stream = field<std::uint32_t>(record, kCopyStreamAt);
  } else {
    return std::nullopt;
  }
  out.start_ns = field<std::uint64_t>(record, kStartAt);
  out.end_ns = field<std::uint64_t>(record, kEndAt);
  return out;
}

// 12 and 120000 for 12.0; the small numbers of old versions (24 was CUDA 12.4's) are below 12.
std::string spoken(std::uint32_t version) {
  return version < 10'000 ? fmt::format("API {}", version)
                          : fmt::format("{}.{}", version / 10'000, version % 10'000 / 100);
}

std::vector<std::string> library_names() {
  std::vector<std::string> folders = {""};
#ifdef TILEWRIGHT_CUDA_LIBRARY_DIR
  folders.push_back(TILEWRIGHT_CUDA_LIBRARY_DIR "/");
#endif
  folders.push_back("/usr/local/cuda/extras/CUPTI/lib64/");
  folders.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    for (const char* soname : {"libcupti.so.13", "libcupti.so.12"})
      names.push_back(folder + soname);
  }
  return names;
}

CuptiApi api_of(DynamicLibrary& library) {
  CuptiApi api;
  const auto get = [&](auto& function, const char* name) {
    function =
        library.require<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
  };
  get(api.register_callbacks, "cuptiActivityRegisterCallbacks");
  get(api.enable, "cuptiActivityEnable");
  get(api.flush_all, "cuptiActivityFlushAll");
  get(api.next_record, "cuptiActivityGetNextRecord");
  get(api.dropped_records, "cuptiActivityGetNumDroppedRecords");
  get(api.version, "cuptiGetVersion");
  get(api.result_string, "cuptiGetResultString");
  return api;
}

}  // namespace

Status CuptiSession::refused(const char* call, int result) const {
  const char* text = nullptr;
  if (api_.result_string(result, &text) != 0 || text == nullptr) text = "an unknown error";
  std::string remedy = "; choose --timer events or wall to measure without it";
  if (result == kMissingPrivilege || result == kMissingPrivilegeVirtual) {
    remedy =
        "; ask the machine's owner to load the driver with NVreg_RestrictProfilingToAdminUsers=0, "
        "or "
        "run with CAP_SYS_ADMIN, or choose --timer events";
  } else if (result == kOtherSubscriber) {
    remedy = "; another profiler is attached to this process: run without it";
  }
  return {StatusCode::kDeviceError, fmt::format("timer cupti cannot be used: {} answered {} ({}){}",
                                                call, text, result, remedy)};
}

Status CuptiSession::start(int least_version) {
  if (const int result = api_.version(&version_); result != 0) {
    return refused("cuptiGetVersion", result);
  }
  const auto least =
      static_cast<std::uint32_t>(least_version < 1000 ? least_version * 10'000 : least_version);
  // Versions before 12.5 count from 1: CUDA 12.0 was 18.
  constexpr std::uint32_t kSmallFor12 = 18;
  const bool old_enough = version_ < 10'000 && least <= 120'000 && version_ >= kSmallFor12;
  if (version_ < least && !old_enough) {
    return {StatusCode::kDeviceError,
            fmt::format("timer cupti cannot be used: {} is of version {}, and {} or newer is asked "
                        "for; install a newer CUPTI, or name one in TILEWRIGHT_CUPTI",
                        path_, spoken(version_), spoken(least))};
  }
  if (const int result = api_.register_callbacks(request_buffer, complete_buffer); result != 0) {
    return refused("cuptiActivityRegisterCallbacks", result);
  }
  for (const std::int32_t kind : {kKernel, kMemcpy, kMemset}) {
    if (const int result = api_.enable(kind); result != 0) {
      return refused("cuptiActivityEnable", result);
    }
  }
  return {};
}

Result<std::unique_ptr<CuptiSession>> CuptiSession::open_with(const CuptiApi& api, std::string path,
                                                              int least_version) {
  std::unique_ptr<CuptiSession> session(new CuptiSession(api, std::move(path)));
  if (Status status = session->start(least_version); !status) return status;
  return session;
}

Result<CuptiSession*> CuptiSession::open(int least_version) {
  static std::unique_ptr<CuptiSession> session;
  if (session != nullptr) return session.get();
  DynamicLibrary library(
      {.candidates = library_names(),
       .variable = "TILEWRIGHT_CUPTI",
       .remedy = "install the CUDA toolkit's CUPTI (cuda-cupti, nvidia-cuda-cupti)"});
  const CuptiApi api = api_of(library);
  if (!library.missing().empty()) {
    return Status(
        StatusCode::kDeviceError,
        fmt::format("timer cupti cannot be used: {}; or choose --timer events", library.missing()));
  }
  Result<std::unique_ptr<CuptiSession>> made = open_with(api, library.path(), least_version);
  if (!made) return made.status();
  session = std::move(*made);
  g_session = session.get();
  return session.get();
}

Status CuptiSession::begin() {
  Result<Taken> before = take();
  return before.status();
}

Result<CuptiSession::Taken> CuptiSession::take() {
  if (const int result = api_.flush_all(kForced); result != 0) {
    return refused("cuptiActivityFlushAll", result);
  }
  Taken taken;
  Status status;
  for (const Completed& completed : take_completed()) {
    void* record = nullptr;
    int result = 0;
    while ((result = api_.next_record(completed.buffer, completed.valid_bytes, &record)) == 0) {
      // Read while the buffer lives: names are pointers that CUPTI keeps, stamps are in the buffer.
      if (auto one = read_record(record)) taken.records.push_back(*std::move(one));
    }
    std::free(completed.buffer);
    if (result != kMaxLimitReached && status.ok()) {
      status = refused("cuptiActivityGetNextRecord", result);
    }
  }
  if (!status) return status;
  std::size_t dropped = 0;
  if (api_.dropped_records(nullptr, 0, &dropped) == 0) taken.lost = dropped;
  return taken;
}

CuptiLibrary cupti_library() {
  if (g_session == nullptr) return {};
  return {g_session->path(), g_session->version()};
}

}  // namespace tilewright::measure
