#include "measure/peers/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tilewright::measure {
namespace {

std::string loaded_path(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  std::error_code error;
  const auto resolved = std::filesystem::canonical(map->l_name, error);
  return error ? std::string(map->l_name) : resolved.string();
}

// A library that is there but does not load (a wrong architecture, a missing dependency) is another
// fault than one that is absent, and only the loader's own words tell which.
bool says_absent(const std::string& candidate, const std::string& loader_words) {
  return loader_words.find(candidate + ": cannot open shared object file") != std::string::npos;
}

}  // namespace

DynamicLibrary::DynamicLibrary(const LibraryWanted& wanted) {
  const char* named = std::getenv(wanted.variable.c_str());
  if (named != nullptr && *named != '\0') {
    handle_ = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      missing_ = fmt::format("{} names a library that does not load ({}); name another or unset it",
                             wanted.variable, dlerror());
      return;
    }
  }
  std::string fault;
  for (const std::string& candidate : wanted.candidates) {
    if (handle_ != nullptr) break;
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) break;
    const std::string words = dlerror();
    if (fault.empty() && !says_absent(candidate, words)) fault = words;
  }
  if (handle_ != nullptr) {
    path_ = loaded_path(handle_);
  } else if (!fault.empty()) {
    missing_ = fmt::format("a library was found but does not load ({}); {} or name it in {}", fault,
                           wanted.remedy, wanted.variable);
  } else {
    missing_ = fmt::format("{} not found; {} or name it in {}", fmt::join(wanted.candidates, ", "),
                           wanted.remedy, wanted.variable);
  }
}

void* DynamicLibrary::find_address(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void* DynamicLibrary::require_address(const char* name) {
  void* address = find_address(name);
  if (address == nullptr && missing_.empty()) {
    missing_ =
        fmt::format("{} has no function {}, so it is not the library meant here", path_, name);
  }
  return address;
}

}  // namespace tilewright::measure
