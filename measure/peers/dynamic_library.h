// A peer's shared library, found at run time so that the tool starts on machines without it.
#pragma once

#include <string>
#include <vector>

namespace tilewright::measure {

struct LibraryWanted {
  std::vector<std::string> candidates;  // sonames or files, best first
  std::string variable;  // environment variable that may name one file; then no other is tried
  std::string remedy;    // "install libopenblas0"
};

// Never unloaded: these libraries keep threads and device contexts that outlive any caller here,
// and unloading code that a sleeping thread will return to crashes at exit.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const LibraryWanted& wanted);

  // Why the library is not there, in a sentence that says what was tried and what would help; empty
  // when it is.
  const std::string& missing() const { return missing_; }
  const std::string& path() const { return path_; }  // of the file really loaded, links resolved

  // Null when the library has no such function. Also finds functions of the libraries it depends
  // on.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(find_address(name));
  }

  // As find, but a function that is not there makes the whole library missing.
  template <class Function>
  Function* require(const char* name) {
    return reinterpret_cast<Function*>(require_address(name));
  }

 private:
  void* find_address(const char* name) const;
  void* require_address(const char* name);

  void* handle_ = nullptr;
  std::string path_, missing_;
};

}  // namespace tilewright::measure
