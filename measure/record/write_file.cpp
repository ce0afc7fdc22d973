#include "measure/record/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tilewright::measure {
namespace {

namespace fs = std::filesystem;

Status refused(const std::string& path, std::string_view why) {
  return Status::invalid(fmt::format("'{}' cannot be written: {}", path, why));
}

// A new file beside the target, so that the rename stays within one file system.
struct Beside {
  std::string target, temporary;
  int descriptor = -1;
};

Result<Beside> open_beside(const std::string& path) {
  std::error_code error;
  if (path.empty()) return refused(path, "the name is empty");
  const fs::path target = fs::weakly_canonical(path, error);  // a link keeps pointing at its file
  if (error) return refused(path, error.message());
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    return refused(path, "it exists and is not a regular file");
  }
  if (fs::exists(target, error) && ::access(target.c_str(), W_OK) != 0) {
    return refused(path, std::strerror(errno));
  }
  Beside beside{target.string(), fmt::format("{}.{}.part", target.string(), ::getpid())};
  beside.descriptor =
      ::open(beside.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (beside.descriptor < 0) return refused(path, std::strerror(errno));
  return beside;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Status write_whole_file(const std::string& path, std::string_view text) {
  const Result<Beside> beside = open_beside(path);
  if (!beside) return beside.status();
  const bool written = write_all(beside->descriptor, text) && ::fsync(beside->descriptor) == 0;
  int reason = written ? 0 : errno;
  if (::close(beside->descriptor) != 0 && reason == 0) reason = errno;
  if (reason == 0 && ::rename(beside->temporary.c_str(), beside->target.c_str()) != 0) {
    reason = errno;
  }
  if (reason == 0) return {};
  ::unlink(beside->temporary.c_str());
  return refused(path, std::strerror(reason));
}

Status check_writable(const std::string& path) {
  const Result<Beside> beside = open_beside(path);
  if (!beside) return beside.status();
  ::close(beside->descriptor);
  ::unlink(beside->temporary.c_str());
  return {};
}

}  // namespace tilewright::measure
