#include "core/cpu_info.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

std::string read_system_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return std::move(text).str();
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Calls visit(line) for each line of `text`.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// None too for -1 and "max", which both mean no limit.
std::optional<int> quota_cores(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_integer(quota_us);
  const auto period = parse_integer(period_us);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  const std::int64_t cores = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<std::int64_t>(cores, 1, 1 << 20));
}

std::optional<int> quota_of_group(const ReadFile& read, const std::string& folder, bool v2) {
  if (!v2) {
    return quota_cores(read(folder + "/cpu.cfs_quota_us"), read(folder + "/cpu.cfs_period_us"));
  }
  const std::string text = read(folder + "/cpu.max");  // "200000 100000" or "max 100000"
  const auto space = text.find(' ');
  if (space == std::string::npos) return std::nullopt;
  return quota_cores(std::string_view(text).substr(0, space),
                     std::string_view(text).substr(space + 1));
}

std::vector<int> allowed_cpus() {
  // The kernel refuses a set smaller than its own, so ask with growing ones.
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(capacity));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
    CPU_ZERO_S(bytes, set);
    std::vector<int> cpus;
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (int cpu = 0; known && cpu < capacity; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) return cpus;
  }
  return {};
}

#if defined(__x86_64__)
__attribute__((target("xsave"))) std::uint64_t read_xcr0() {
  return _xgetbv(0);
}

CpuidWords read_cpuid() {
  CpuidWords words;
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    words.leaf7_ebx = ebx;
    words.leaf7_edx = edx;
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) words.leaf7_1_eax = eax;
  }
  if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx) != 0) words.extended1_ecx = ecx;
  const std::uint32_t os_uses_xsave = 1u << 27;
  if ((words.leaf1_ecx & os_uses_xsave) != 0) words.xcr0 = read_xcr0();
  return words;
}
#else
CpuidWords read_cpuid() {
  return {};
}
#endif

constexpr bool has_all(std::uint64_t word, std::initializer_list<int> bits) {
  return std::all_of(bits.begin(), bits.end(), [&](int bit) { return (word >> bit & 1) != 0; });
}

}  // namespace

std::string cpu_model_of(std::string_view cpuinfo) {
  std::string model;
  for_each_line(cpuinfo, [&](std::string_view line) {
    const auto colon = line.find(':');
    if (model.empty() && colon != std::string_view::npos &&
        trimmed(line.substr(0, colon)) == "model name") {
      model = trimmed(line.substr(colon + 1));
    }
  });
  return model;
}

std::optional<int> cgroup_quota_cores(const ReadFile& read) {
  std::optional<int> tightest;
  // A line is "hierarchy:controllers:path", with no controllers for v2. In a container the path may
  // be the host's and not exist here; the container's own group is then the root of the mount,
  // which the walk upwards reaches.
  for_each_line(read("/proc/self/cgroup"), [&](std::string_view line) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && fmt::format(",{},", controllers).find(",cpu,") == std::string::npos) return;
    std::vector<std::string> roots = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
    if (!v2) roots = {"/sys/fs/cgroup/" + std::string(controllers), "/sys/fs/cgroup/cpu"};
    std::string path(trimmed(line.substr(second + 1)));
    if (path == "/") path.clear();
    for (;;) {
      for (const std::string& root : roots) {
        const auto cores = quota_of_group(read, root + path, v2);
        if (cores) tightest = std::min(tightest.value_or(*cores), *cores);
      }
      if (path.empty()) break;
      path.erase(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    }
  });
  return tightest;
}

std::optional<std::int64_t> parse_cache_bytes(std::string_view text) {
  text = trimmed(text);
  int shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (shift != 0) text.remove_suffix(1);
  const auto number = parse_integer(text);
  if (!number || *number <= 0 || *number > std::int64_t{1} << 40) return std::nullopt;
  return *number << shift;
}

void read_caches(const ReadFile& read, int logical_cpu, CpuInfo& cpu) {
  const std::string folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(logical_cpu) + "/cache/index";
  for (int index = 0; index < 8; ++index) {
    const std::string entry = folder + std::to_string(index);
    const auto bytes = parse_cache_bytes(read(entry + "/size"));
    if (!bytes || trimmed(read(entry + "/type")) == "Instruction") continue;
    const auto level = parse_integer(read(entry + "/level"));
    if (level == 1) cpu.l1d_bytes = *bytes;
    if (level == 2) cpu.l2_bytes = *bytes;
    if (level == 3) cpu.l3_bytes = *bytes;
  }
}

void set_features(const CpuidWords& words, CpuInfo& cpu) {
  // The sets that Highway's AVX2 and AVX3 targets are compiled with, so that one test stands for
  // every instruction in such a kernel.
  const bool avx_state = has_all(words.xcr0, {1, 2});              // xmm, ymm
  const bool avx512_state = has_all(words.xcr0, {1, 2, 5, 6, 7});  // and masks, zmm
  const bool tile_state = has_all(words.xcr0, {17, 18});
  // pclmul, ssse3, fma, sse4.1, sse4.2, movbe, popcnt, aes, xsave in use, avx, f16c
  const bool avx2 = avx_state &&
                    has_all(words.leaf1_ecx, {1, 9, 12, 19, 20, 22, 23, 25, 27, 28, 29}) &&
                    has_all(words.leaf7_ebx, {3, 5, 8}) &&  // bmi, avx2, bmi2
                    has_all(words.extended1_ecx, {5});      // lzcnt
  const bool avx512 =
      avx2 && avx512_state && has_all(words.leaf7_ebx, {16, 17, 28, 30, 31});  // f, dq, cd, bw, vl
  cpu.isa = avx512 ? CpuIsa::kAvx512 : avx2 ? CpuIsa::kAvx2 : CpuIsa::kBaseline;
  cpu.avx512_bf16 = avx512 && has_all(words.leaf7_1_eax, {5});
  cpu.avx512_fp16 = avx512 && has_all(words.leaf7_edx, {23});
  cpu.amx_bf16 = tile_state && has_all(words.leaf7_edx, {22, 24});
  cpu.amx_int8 = tile_state && has_all(words.leaf7_edx, {24, 25});
}

DeviceInfo cpu_device() {
  DeviceInfo device;
  device.backend = Backend::kCpu;
  CpuInfo& cpu = device.cpu;
  cpu.model = cpu_model_of(read_system_file("/proc/cpuinfo"));
  if (cpu.model.empty()) cpu.model = "unknown CPU";
  device.name = cpu.model;

  const std::vector<int> allowed = allowed_cpus();
  cpu.cores = allowed.empty() ? static_cast<int>(std::thread::hardware_concurrency())
                              : static_cast<int>(allowed.size());
  cpu.cores = std::min(cpu.cores, cgroup_quota_cores(read_system_file).value_or(cpu.cores));
  cpu.cores = std::max(cpu.cores, 1);

  // sysfs may be hidden in a sandbox; the C library asks CPUID.
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) cpu.l1d_bytes = bytes;
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) cpu.l2_bytes = bytes;
  if (const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0) cpu.l3_bytes = bytes;
  read_caches(read_system_file, allowed.empty() ? 0 : allowed.front(), cpu);
  set_features(read_cpuid(), cpu);
  return device;
}

}  // namespace tilewright
