#include "measure/protocol/device_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "measure/protocol/threads.h"
#include "tilewright/codecs.h"

namespace tilewright::measure {
namespace {

constexpr std::int64_t kPageBytes = 4096;

// "MemAvailable:   12345 kB" of /proc/meminfo; 4 GiB where the system does not say.
std::int64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    std::int64_t kib = 0;
    file >> kib;
    return kib << 10;
  }
  return std::int64_t{4} << 30;
}

// What the process's memory group still allows; no limit reads as a very large number.
std::int64_t group_memory_bytes() {
  std::int64_t limit = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit)) return INT64_MAX;
  if (!(std::ifstream("/sys/fs/cgroup/memory.current") >> used)) return limit;
  return std::max<std::int64_t>(limit - used, 0);
}

// First touched by the threads that fill it, so that its pages lie near all of them.
void over_bytes(void* data, std::int64_t bytes,
                const std::function<void(std::byte* first, std::int64_t count)>& body) {
  for_ranges((bytes + kPageBytes - 1) / kPageBytes, kPageBytes / 8,
             [&](std::int64_t first, std::int64_t last) {
               const std::int64_t from = first * kPageBytes;
               body(static_cast<std::byte*>(data) + from,
                    std::min(last * kPageBytes, bytes) - from);
             });
}

}  // namespace

Result<void*> CpuDevice::allocate(std::int64_t bytes) {
  const std::int64_t rounded = std::max<std::int64_t>((bytes + kPageBytes - 1) / kPageBytes, 1);
  void* data = std::aligned_alloc(kPageBytes, static_cast<std::size_t>(rounded * kPageBytes));
  if (data == nullptr) {
    return Status(StatusCode::kDeviceError,
                  fmt::format("cannot allocate {} bytes of host memory", bytes));
  }
  return data;
}

void CpuDevice::release(void* data) {
  std::free(data);
}

Status CpuDevice::upload(void* to, const void* from, std::int64_t bytes) {
  return copy(to, from, bytes);
}

Status CpuDevice::download(void* to, const void* from, std::int64_t bytes) {
  return copy(to, from, bytes);
}

Status CpuDevice::copy(void* to, const void* from, std::int64_t bytes) {
  over_bytes(to, bytes, [&](std::byte* part, std::int64_t count) {
    std::memcpy(part, static_cast<const std::byte*>(from) + (part - static_cast<std::byte*>(to)),
                static_cast<std::size_t>(count));
  });
  return {};
}

Status CpuDevice::fill(void* data, DType type, std::int64_t elements, FillSpec spec) {
  // Asked before any thread starts: a type without an encoding is the only way this can fail.
  if (Status status = encode(type, static_cast<const float*>(nullptr), 0, data); !status) {
    return status;
  }
  constexpr std::int64_t kChunk = 1024;
  for_ranges((elements + kChunk - 1) / kChunk, 4 * kChunk,
             [&](std::int64_t first, std::int64_t last) {
               std::vector<float> values(kChunk);
               for (std::int64_t chunk = first; chunk < last; ++chunk) {
                 const std::int64_t begin = chunk * kChunk;
                 const std::int64_t count = std::min(kChunk, elements - begin);
                 for (std::int64_t i = 0; i < count; ++i) {
                   const float value =
                       fill_value(spec.fill, spec.seed, static_cast<std::uint64_t>(begin + i));
                   values[static_cast<std::size_t>(i)] = spec.negated ? -value : value;
                 }
                 (void)encode(type, values.data(), count,
                              static_cast<std::byte*>(data) + bytes_of(type, begin));
               }
             });
  return {};
}

Status CpuDevice::poison(void* data, std::int64_t bytes) {
  over_bytes(data, bytes, [](std::byte* part, std::int64_t count) {
    std::memset(part, 0xff, static_cast<std::size_t>(count));
  });
  return {};
}

Result<std::uint64_t> CpuDevice::checksum(const void* data, std::int64_t bytes) {
  std::atomic<std::uint64_t> total{0};
  for_ranges((bytes + 7) / 8, 4, [&](std::int64_t first, std::int64_t last) {
    std::uint64_t sum = 0;
    for (std::int64_t i = first; i < last; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const std::byte*>(data) + 8 * i,
                  static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - 8 * i)));
      sum += checksum_term(static_cast<std::uint64_t>(i), word);
    }
    total += sum;
  });
  return total.load();
}

Status CpuDevice::flush_cache(Flush method) {
  const std::int64_t bytes = 2 * cache_bytes();
  if (flush_.data() == nullptr) {
    Result<Buffer> buffer = Buffer::allocate(*this, bytes);
    if (!buffer) return buffer.status();
    flush_ = std::move(*buffer);
    if (Status status = poison(flush_.data(), bytes); !status) return status;
  }
  // A CPU cannot drop what it wrote, so after writing it reads: dirty lines would be written back
  // in the timed call.
  if (method == Flush::kDiscard) {
    if (Status status = poison(flush_.data(), bytes); !status) return status;
  }
  return stream_bytes(flush_.data(), nullptr, bytes);
}

Status CpuDevice::stream_bytes(const void* from, void* to, std::int64_t bytes) {
  if (to != nullptr) return copy(to, from, bytes);
  std::atomic<std::uint64_t> total{0};
  over_bytes(const_cast<void*>(from), bytes, [&](const std::byte* part, std::int64_t count) {
    std::uint64_t sums[8] = {};  // apart, so that additions do not wait for one another
    std::uint64_t words[8];
    for (std::int64_t at = 0; at + 64 <= count; at += 64) {
      std::memcpy(words, part + at, sizeof words);
      for (int i = 0; i < 8; ++i) sums[i] += words[i];
    }
    for (const std::uint64_t sum : sums) total += sum;
  });
  read_sum_ = total;  // so that the reads are not left out
  return {};
}

Status CpuDevice::delay(std::int64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  return {};
}

// A call that has returned has done its work; what it left to a thread of its own has had its time.
Status CpuDevice::synchronize_all() {
  constexpr std::int64_t kThreadsTime_ns = 2'000'000;
  return delay(kThreadsTime_ns);
}

std::int64_t CpuDevice::cache_bytes() const {
  return std::max(info_.cpu.l3_bytes, info_.cpu.l2_bytes);
}

std::int64_t CpuDevice::rotation_limit_bytes() {
  return std::min(available_memory_bytes(), group_memory_bytes()) / 4;
}

std::string CpuDevice::rotation_limit_reason() const {
  return "a quarter of the memory that is available";
}

}  // namespace tilewright::measure
