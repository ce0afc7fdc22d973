// How machines are read: made-up files and CPUID words, then the machine of the test itself.
#include "core/cpu_info.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <thread>

namespace tilewright {
namespace {

using Files = std::map<std::string, std::string>;

ReadFile reader_of(const Files& files) {
  return [files](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::string() : found->second;
  };
}

TEST(CpuModel, is_the_first_model_name) {
  EXPECT_EQ(cpu_model_of(
                "processor\t: 0\nmodel\t\t: 6\nmodel name\t: AMD EPYC 9654  \nmodel name\t: B\n"),
            "AMD EPYC 9654");
  EXPECT_EQ(cpu_model_of("model name : X"), "X");
  EXPECT_EQ(cpu_model_of("processor: 0\n"), "");
  EXPECT_EQ(cpu_model_of(""), "");
}

TEST(CgroupQuota, v2_rounds_up_to_whole_cores) {
  const std::string group = "0::/job\n";
  const auto quota = [&](const std::string& cpu_max) {
    return cgroup_quota_cores(
        reader_of({{"/proc/self/cgroup", group}, {"/sys/fs/cgroup/job/cpu.max", cpu_max}}));
  };
  EXPECT_EQ(quota("200000 100000\n"), 2);
  EXPECT_EQ(quota("150000 100000\n"), 2);
  EXPECT_EQ(quota("1000 100000\n"), 1);
  EXPECT_EQ(quota("max 100000\n"), std::nullopt);
  EXPECT_EQ(quota("nonsense\n"), std::nullopt);
  EXPECT_EQ(quota("100000 0\n"), std::nullopt);
  EXPECT_EQ(quota(""), std::nullopt);
}

TEST(CgroupQuota, the_tightest_of_the_group_and_its_parents_counts) {
  Files files = {{"/proc/self/cgroup", "0::/a/b/c\n"},
                 {"/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n"},
                 {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"},
                 {"/sys/fs/cgroup/cpu.max", "1600000 100000\n"}};
  EXPECT_EQ(cgroup_quota_cores(reader_of(files)), 3);
  files["/sys/fs/cgroup/a/b/c/cpu.max"] = "200000 100000\n";
  EXPECT_EQ(cgroup_quota_cores(reader_of(files)), 2);
}

TEST(CgroupQuota, a_container_sees_its_group_as_the_root) {
  EXPECT_EQ(cgroup_quota_cores(reader_of({{"/proc/self/cgroup", "0::/host/only/path\n"},
                                          {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}})),
            4);
  EXPECT_EQ(cgroup_quota_cores(reader_of(
                {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}})),
            4);
}

TEST(CgroupQuota, v1_reads_quota_and_period) {
  const std::string groups =
      "12:memory:/x\n5:cpu,cpuacct:/docker/abc\n3:cpuset:/docker/abc\n0::/\n";
  Files files = {{"/proc/self/cgroup", groups},
                 {"/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n"},
                 {"/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(cgroup_quota_cores(reader_of(files)), 3);
  files["/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_EQ(cgroup_quota_cores(reader_of(files)), std::nullopt);
  // The group's path is the host's; the mount shows it as the root, under the controller's name.
  files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "100000\n";
  files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n";
  EXPECT_EQ(cgroup_quota_cores(reader_of(files)), 1);
}

TEST(CgroupQuota, cpuset_and_cpuacct_are_not_cpu) {
  EXPECT_EQ(cgroup_quota_cores(reader_of({{"/proc/self/cgroup", "3:cpuset:/x\n2:cpuacct:/x\n"},
                                          {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n"},
                                          {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}})),
            std::nullopt);
}

TEST(CgroupQuota, lines_without_colons_are_no_group) {
  EXPECT_EQ(cgroup_quota_cores(reader_of({{"/proc/self/cgroup", "\nabc\n1:cpu\n:\n"}})),
            std::nullopt);
}

TEST(Caches, sizes_as_sysfs_writes_them) {
  EXPECT_EQ(parse_cache_bytes("48K\n"), 48 << 10);
  EXPECT_EQ(parse_cache_bytes("266240K\n"), std::int64_t{266240} << 10);
  EXPECT_EQ(parse_cache_bytes("2M"), 2 << 20);
  EXPECT_EQ(parse_cache_bytes("512"), 512);
  for (const char* bad : {"", "K", "-1K", "0K", "12Q", "1 2"}) {
    EXPECT_EQ(parse_cache_bytes(bad), std::nullopt) << bad;
  }
}

TEST(Caches, instruction_caches_are_left_out_and_missing_ones_keep_their_value) {
  const std::string folder = "/sys/devices/system/cpu/cpu7/cache/index";
  CpuInfo cpu;
  cpu.l3_bytes = 99;
  read_caches(reader_of({{folder + "0/size", "48K\n"},
                         {folder + "0/type", "Data\n"},
                         {folder + "0/level", "1\n"},
                         {folder + "1/size", "32K\n"},
                         {folder + "1/type", "Instruction\n"},
                         {folder + "1/level", "1\n"},
                         {folder + "2/size", "2048K\n"},
                         {folder + "2/type", "Unified\n"},
                         {folder + "2/level", "2\n"}}),
              7, cpu);
  EXPECT_EQ(cpu.l1d_bytes, 48 << 10);
  EXPECT_EQ(cpu.l2_bytes, 2 << 20);
  EXPECT_EQ(cpu.l3_bytes, 99);
}

CpuidWords everything() {
  return {.leaf1_ecx = ~0u,
          .leaf7_ebx = ~0u,
          .leaf7_edx = ~0u,
          .leaf7_1_eax = ~0u,
          .extended1_ecx = ~0u,
          .xcr0 = ~std::uint64_t{0}};
}

CpuInfo features_of(const CpuidWords& words) {
  CpuInfo cpu;
  set_features(words, cpu);
  return cpu;
}

TEST(Features, all_and_nothing) {
  const CpuInfo all = features_of(everything());
  EXPECT_EQ(all.isa, CpuIsa::kAvx512);
  EXPECT_TRUE(all.avx512_bf16 && all.avx512_fp16 && all.amx_bf16 && all.amx_int8);
  const CpuInfo none = features_of({});
  EXPECT_EQ(none.isa, CpuIsa::kBaseline);
  EXPECT_FALSE(none.avx512_bf16 || none.avx512_fp16 || none.amx_bf16 || none.amx_int8);
}

TEST(Features, each_missing_instruction_takes_its_set_away) {
  for (const int bit : {16, 17, 28, 30, 31}) {  // f dq cd bw vl
    CpuidWords words = everything();
    words.leaf7_ebx &= ~(1u << bit);
    const CpuInfo cpu = features_of(words);
    EXPECT_EQ(cpu.isa, CpuIsa::kAvx2) << bit;
    EXPECT_FALSE(cpu.avx512_bf16 || cpu.avx512_fp16) << bit;
  }
  for (const int bit : {3, 5, 8}) {  // bmi avx2 bmi2
    CpuidWords words = everything();
    words.leaf7_ebx &= ~(1u << bit);
    EXPECT_EQ(features_of(words).isa, CpuIsa::kBaseline) << bit;
  }
  for (const int bit : {12, 22, 27, 28, 29}) {  // fma movbe osxsave avx f16c
    CpuidWords words = everything();
    words.leaf1_ecx &= ~(1u << bit);
    EXPECT_EQ(features_of(words).isa, CpuIsa::kBaseline) << bit;
  }
  CpuidWords words = everything();
  words.extended1_ecx &= ~(1u << 5);  // lzcnt
  EXPECT_EQ(features_of(words).isa, CpuIsa::kBaseline);
}

TEST(Features, registers_that_the_system_does_not_save_are_not_there) {
  CpuidWords words = everything();
  words.xcr0 = 0x7;  // x87, xmm, ymm
  EXPECT_EQ(features_of(words).isa, CpuIsa::kAvx2);
  EXPECT_FALSE(features_of(words).amx_bf16);
  words.xcr0 = 0xe7;  // and AVX-512
  EXPECT_EQ(features_of(words).isa, CpuIsa::kAvx512);
  EXPECT_FALSE(features_of(words).amx_int8);
  words.xcr0 = 0x3;
  EXPECT_EQ(features_of(words).isa, CpuIsa::kBaseline);
}

TEST(Features, amx_kinds_are_told_apart) {
  CpuidWords words = everything();
  words.leaf7_edx &= ~(1u << 22);
  EXPECT_FALSE(features_of(words).amx_bf16);
  EXPECT_TRUE(features_of(words).amx_int8);
}

TEST(CpuDevice, describes_this_machine) {
  const DeviceInfo device = cpu_device();
  EXPECT_EQ(device.backend, Backend::kCpu);
  EXPECT_FALSE(device.name.empty());
  EXPECT_EQ(device.name, device.cpu.model);
  EXPECT_GE(device.cpu.cores, 1);
  EXPECT_GE(device.cpu.l1d_bytes, 4 << 10);
  EXPECT_GE(device.cpu.l2_bytes, device.cpu.l1d_bytes);
#if defined(__x86_64__)
  // The compiler's own reading of CPUID.
  EXPECT_EQ(device.cpu.isa == CpuIsa::kAvx512,
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"));
  EXPECT_EQ(device.cpu.isa != CpuIsa::kBaseline,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#endif
}

// C11: a thread pinned to one core may use one.
TEST(CpuDevice, c11_counts_the_affinity_mask) {
  int cores = 0;
  std::thread([&] {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    if (sched_setaffinity(0, sizeof allowed, &allowed) == 0) cores = cpu_device().cpu.cores;
  }).join();
  if (cores == 0) GTEST_SKIP() << "the system does not let a thread pin itself";
  EXPECT_EQ(cores, 1);
}

}  // namespace
}  // namespace tilewright
