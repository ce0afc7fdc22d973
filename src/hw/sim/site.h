// Where in a kernel a simulated instruction stands. Every function of the vocabulary takes one as
// its last argument, which the call itself fills in.
#pragma once

#include <cstring>
#include <source_location>
#include <string>

namespace tilewright::hw::sim {

struct Site {
  const char* file = "";
  int line = 0;

  static Site current(std::source_location where = std::source_location::current()) {
    return {where.file_name(), static_cast<int>(where.line())};
  }
  bool operator==(const Site& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
  std::string name() const;  // "v4_swizzle.cuh:197"
};

// An index that remembers where it was written down: operators take no extra argument.
template <class Int>
struct IndexAt {
  Int value;
  Site at;
  IndexAt(Int index, std::source_location where = std::source_location::current())
      : value(index), at(Site::current(where)) {}
};

}  // namespace tilewright::hw::sim
