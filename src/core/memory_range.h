// A piece of memory that a kernel was given.
#pragma once

#include <cstdint>

namespace tilewright {

struct MemoryRange {
  const void* data;
  std::int64_t bytes;
  bool writable;
  const char* name;  // "A", "workspace": for sentences
};

}  // namespace tilewright
