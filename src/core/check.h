// Broken invariants of the library itself: they abort with file and line, they are never a Status.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace tilewright {

[[noreturn]] inline void invariant_broken(
    const char* sentence, std::source_location where = std::source_location::current()) {
  std::fprintf(stderr, "%s:%u: broken invariant in %s: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(), sentence);
  std::abort();
}

// In a constant expression a false condition fails to compile, at the call.
constexpr void check(bool condition, const char* sentence,
                     std::source_location where = std::source_location::current()) {
  if (!condition) invariant_broken(sentence, where);
}

}  // namespace tilewright
