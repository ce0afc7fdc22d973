#include "measure/record/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "measure/record/command_line.h"

namespace tilewright::measure {
namespace {

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "PRETTY_NAME=\"";
    if (line.starts_with(kKey) && line.ends_with('"')) {
      return line.substr(kKey.size(), line.size() - kKey.size() - 1);
    }
  }
  return "unknown distribution";
}

std::string operating_system() {
  utsname names{};
  if (::uname(&names) != 0) return distribution();
  return fmt::format("{}, {} {} {}", distribution(), names.sysname, names.release, names.machine);
}

}  // namespace

BuiltFrom resolve_commit(const BuiltFrom& built) {
  if (!built.commit.empty()) return built;
  const char* given = std::getenv("TILEWRIGHT_GIT_COMMIT");
  BuiltFrom from{given ? given : ""};
  constexpr std::string_view kDirty = "-dirty";
  if (from.commit.ends_with(kDirty)) {
    from.commit.resize(from.commit.size() - kDirty.size());
    from.dirty = true;
  }
  return from;
}

RunProvenance provenance_of(const std::vector<std::string>& command, const BuiltFrom& built,
                            const DeviceInfo& device) {
  const BuiltFrom from = resolve_commit(built);
  RunProvenance provenance;
  provenance.command_line = command_line(command);
  provenance.git_commit = from.commit.empty() ? "unknown" : from.commit;
  provenance.git_dirty = from.dirty;
  provenance.date_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  provenance.host_cpu = fmt::format("{}, {} cores", device.cpu.model, device.cpu.cores);
  provenance.host_os = operating_system();
  provenance.compiler = "g++ " __VERSION__;
#ifdef __clang__
  provenance.compiler = "clang " __VERSION__;
#endif
  return provenance;
}

}  // namespace tilewright::measure
