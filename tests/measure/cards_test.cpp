// NVML through a stand-in, the CPU's state from a made folder, and what is made of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "measure/cards/cpu_state.h"
#include "measure/cards/nvml_card.h"
#include "measure/protocol/card_watch.h"
#include "tests/measure/fake_card.h"

namespace tilewright::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string g_failing;  // the function, or "field 186", that fails now
std::uint64_t g_processes = 2;

bool fails(const std::string& what) {
  return g_failing == what;
}

NvmlApi stand_in() {
  NvmlApi api;
  api.init = [] { return fails("init") ? 9 : 0; };
  api.error_string = [](int) { return "Driver Not Loaded"; };
  api.handle_by_uuid = [](const char* uuid, void** handle) {
    *handle = &g_failing;
    return std::string_view(uuid) == "GPU-1" && !fails("uuid") ? 0 : 6;
  };
  api.clock = [](void* handle, int kind, std::uint32_t* mhz) {
    EXPECT_EQ(handle, &g_failing);
    *mhz = kind == 1 ? 1410 : 3201;
    return fails("clock") ? 3 : 0;
  };
  api.highest_clock = [](void*, int kind, std::uint32_t* mhz) {
    *mhz = kind == 1 ? 1980 : 3201;
    return fails("highest") ? 3 : 0;
  };
  api.temperature = [](void*, int, std::uint32_t* celsius) {
    *celsius = 55;
    return fails("temperature") ? 3 : 0;
  };
  api.event_reasons = [](void*, unsigned long long* bits) {
    *bits = 0x4;
    return fails("reasons") ? 3 : 0;
  };
  api.field_values = [](void*, int count, NvmlFieldValue* fields) {
    for (int i = 0; i < count; ++i) {
      const std::uint32_t field = fields[i].field;
      fields[i].result = fails("field " + std::to_string(field)) ? 3 : 0;
      fields[i].type = 3;
      fields[i].value = 1000 + field;
      if (field == 185) fields[i].type = 1;
      if (field == 186) {
        fields[i].type = 0;
        fields[i].value = std::bit_cast<std::uint64_t>(700'123.0);
      }
    }
    return fails("fields") ? 3 : 0;
  };
  api.compute_processes = [](void*, std::uint32_t* count, NvmlProcess* processes) {
    if (*count < g_processes) {
      *count = static_cast<std::uint32_t>(g_processes);
      return 7;  // too small
    }
    *count = static_cast<std::uint32_t>(g_processes);
    for (std::uint32_t i = 0; i < *count; ++i)
      processes[i] = {100 + i, i == 0 ? 4096 : ~0ull, 0, 0};
    return fails("processes") ? 3 : 0;
  };
  api.process_name = [](std::uint32_t pid, char* name, std::uint32_t length) {
    std::strncpy(name, pid == 100 ? "miner" : "other", length);
    return 0;
  };
  api.memory = [](void*, NvmlMemory* memory) {
    memory->used = 12345;
    return 0;
  };
  api.utilisation = [](void*, NvmlUtilisation* use) {
    use->gpu = 17;
    return 0;
  };
  api.power_limit = [](void*, std::uint32_t* mw) {
    *mw = 700'000;
    return 0;
  };
  api.driver_version = [](char* text, std::uint32_t length) {
    std::strncpy(text, "580.159.03", length);
    return 0;
  };
  return api;
}

class Nvml : public ::testing::Test {
 protected:
  Nvml() {
    g_failing.clear();
    g_processes = 2;
  }
  std::unique_ptr<Card> card() { return make_nvml_card_with(stand_in(), "GPU-1", ""); }
};

TEST_F(Nvml, B25_EveryQuantityIsRead) {
  const auto one = card();
  EXPECT_EQ(one->missing(), "");
  const CardReading reading = one->read();
  EXPECT_EQ(reading.sm_mhz, 1410);
  EXPECT_EQ(reading.memory_mhz, 3201);
  EXPECT_EQ(reading.temperature_c, 55);
  EXPECT_EQ(reading.event_reasons, 0x4u);
  EXPECT_EQ(reading.power_mw, 700'123);
  EXPECT_EQ(reading.average_power_mw, 1185);
  EXPECT_EQ(reading.energy_mj, 1083);
  EXPECT_EQ(reading.power_capped_ns, 1074);
  EXPECT_EQ(reading.thermal_ns, 1269 + 1270);
  EXPECT_EQ(reading.power_brake_ns, 1271);
  EXPECT_EQ(one->highest_sm_mhz(), 1980);
  EXPECT_EQ(one->highest_memory_mhz(), 3201);
  EXPECT_EQ(one->power_limit_mw(), 700'000);
  EXPECT_EQ(one->driver_version(), "580.159.03");
}

TEST_F(Nvml, WhatFailsIsAbsentAndTheRestIsThere) {
  const auto one = card();
  g_failing = "clock";
  EXPECT_FALSE(one->read().sm_mhz.has_value());
  EXPECT_EQ(one->read().temperature_c, 55);
  g_failing = "temperature";
  EXPECT_FALSE(one->read().temperature_c.has_value());
  EXPECT_EQ(one->read().sm_mhz, 1410);
  g_failing = "reasons";
  EXPECT_FALSE(one->read().event_reasons.has_value());
  g_failing = "field 186";
  EXPECT_FALSE(one->read().power_mw.has_value());
  EXPECT_EQ(one->read().energy_mj, 1083);
  g_failing = "field 269";
  EXPECT_EQ(one->read().thermal_ns, 1270);
  g_failing = "fields";
  EXPECT_FALSE(one->read().energy_mj.has_value());
  EXPECT_EQ(one->read().sm_mhz, 1410);
  g_failing = "highest";
  EXPECT_FALSE(one->highest_sm_mhz().has_value());
}

TEST_F(Nvml, B25_WithoutTheLibraryEverythingIsAbsentWithAReason) {
  for (const char* failing : {"init", "uuid"}) {
    g_failing = failing;
    const auto one = card();
    EXPECT_THAT(one->missing(), HasSubstr("Driver Not Loaded")) << failing;
    EXPECT_FALSE(one->read().sm_mhz.has_value());
    EXPECT_THAT(one->use().processes, IsEmpty());
  }
  ::setenv("TILEWRIGHT_NVML", "/nowhere/libnvidia-ml.so.1", 1);
  const auto absent = make_nvml_card("GPU-1");
  ::unsetenv("TILEWRIGHT_NVML");
  EXPECT_THAT(absent->missing(), HasSubstr("TILEWRIGHT_NVML"));
  EXPECT_FALSE(absent->power_limit_mw().has_value());
  EXPECT_EQ(absent->driver_version(), "");
}

TEST_F(Nvml, WhoUsesTheCardIsListedHoweverManyTheyAre) {
  g_processes = 100;  // more than fit at first
  const CardUse use = card()->use();
  ASSERT_EQ(use.processes.size(), 100u);
  EXPECT_EQ(use.processes[0].pid, 100);
  EXPECT_EQ(use.processes[0].name, "miner");
  EXPECT_EQ(use.processes[0].used_bytes, 4096);
  EXPECT_FALSE(use.processes[1].used_bytes.has_value());
  EXPECT_EQ(use.used_bytes, 12345);
  EXPECT_EQ(use.utilisation_percent, 17);
}

TEST(Card, ReasonsHaveNamesAndSomeAreFaults) {
  EXPECT_THAT(reason_names(0x1 | 0x4 | 0x40),
              ElementsAre("power cap", "hardware thermal slowdown"));
  EXPECT_FALSE(is_faulty(0x1 | 0x2 | 0x4 | 0x10));
  for (const std::uint64_t bit : {0x8, 0x20, 0x40, 0x80}) EXPECT_TRUE(is_faulty(bit)) << bit;
}

TEST(CardWatch, ATurnIsAveragedOverAllThatWasReadInIt) {
  FakeCard card;
  FakeClock clock;
  card.reading = [](int call) {
    CardReading reading;
    reading.sm_mhz = 1000 + 100 * call;
    return reading;
  };
  CardWatch watch(card, clock, 0, {});
  (void)watch.read();  // of an earlier turn
  const CardReading before = watch.read();
  (void)watch.read();
  const CardTurn turn = watch.turn_since(before);
  EXPECT_EQ(turn.before.sm_mhz, 1100);
  EXPECT_EQ(turn.after.sm_mhz, 1300);
  EXPECT_EQ(turn.sm_mhz, 1200.0);
  EXPECT_FALSE(turn.power_mw.has_value());
}

TEST(CardWatch, ATraceIsBoundedAndEven) {
  FakeCard card;
  FakeClock clock;
  CardWatch watch(card, clock, 0, {});
  for (int i = 0; i < 3000; ++i) (void)watch.read();
  const std::vector<CardReading> kept = watch.trace_since(0);
  EXPECT_LE(kept.size(), CardWatch::kMostKept);
  EXPECT_GT(kept.size(), CardWatch::kMostKept / 2 - 2);
  for (std::size_t i = 2; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].at_ns - kept[i - 1].at_ns, kept[1].at_ns - kept[0].at_ns);
  }
  EXPECT_THAT(watch.trace_since(clock.now + 1), IsEmpty());
}

TEST(CardWatch, AThreadKeepsTheTrace) {
  FakeCard card;
  SteadyClock clock;
  CardWatch watch(card, clock, 1, {});
  while (watch.trace_since(0).size() < 3) clock.sleep_ns(1'000'000);
}

TEST(CardWatch, OnlyOthersAreIntruders) {
  FakeCard card;
  FakeClock clock;
  const CardProcess own{900, "", std::nullopt};
  CardWatch watch(card, clock, 0, {own});
  card.processes = [](int) { return std::vector<CardProcess>{{900, "", std::nullopt}}; };
  EXPECT_EQ(watch.intruder(), "");
  card.processes = [](int) {
    return std::vector<CardProcess>{{900, "", std::nullopt}, {901, "miner", std::nullopt}};
  };
  EXPECT_EQ(watch.intruder(), "another process computes on this card: 901 (miner)");
}

TEST(CardWatch, SteadinessIsTheSlopeOfTheLastSecond) {
  std::vector<CardReading> trace;
  const auto add = [&](std::int64_t ms, int mhz, int mw) {
    CardReading reading;
    reading.at_ns = ms * 1'000'000;
    reading.sm_mhz = mhz;
    reading.power_mw = mw;
    trace.push_back(reading);
  };
  for (int i = 0; i < 50; ++i) add(20 * i, 1900 - 8 * i, 500'000);
  EXPECT_EQ(steadiness_of(trace, 1'000'000'000).settled, false);
  EXPECT_LT(steadiness_of(trace, 1'000'000'000).clock_slope_percent_s.value(), -20);
  for (int i = 0; i < 60; ++i) add(1000 + 20 * i, i % 2 ? 1505 : 1495, 690'000 + i % 3 * 1000);
  EXPECT_EQ(steadiness_of(trace, 2'200'000'000).settled, true);
  EXPECT_FALSE(steadiness_of({}, 5).settled.has_value());
  trace.resize(3);
  EXPECT_EQ(steadiness_of(trace, 60'000'000).settled, false);  // three readings prove nothing
}

TEST(CardWatch, ThrottledBySlowClocksAndByFaults) {
  CardTurn turn;
  EXPECT_EQ(throttled(turn, 1980, 0.5), "");
  turn.sm_mhz = 980;
  EXPECT_THAT(throttled(turn, 1980, 0.5), HasSubstr("980 MHz, below 50 % of 1980 MHz"));
  EXPECT_EQ(throttled(turn, 1980, 0.4), "");
  EXPECT_EQ(throttled(turn, std::nullopt, 0.5), "");
  turn.after.event_reasons = 0x80;
  EXPECT_EQ(throttled(turn, std::nullopt, 0.5), "throttled: power brake");
}

TEST(CpuState, IsReadFromTheSystem) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(::testing::TempDir()) / "tilewright-cpu-state";
  fs::remove_all(root);
  const auto put = [&](const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  CpuState state = read_cpu_state(root);
  EXPECT_FALSE(state.governor || state.mhz || state.quota_cpus || state.load_1min);
  EXPECT_GT(state.usable_cpus, 0);
  put("proc/cpuinfo", "processor : 0\ncpu MHz\t\t: 2450.123\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  state = read_cpu_state(root);
  EXPECT_EQ(state.mhz, 2450);
  EXPECT_FALSE(state.quota_cpus.has_value());
  put("sys/fs/cgroup/cpu.max", "250000 100000\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3100000\n");
  put("proc/loadavg", "0.75 0.5 0.2 1/200 4242\n");
  state = read_cpu_state(root);
  EXPECT_EQ(state.governor, "performance");
  EXPECT_EQ(state.mhz, 3100);
  EXPECT_EQ(state.quota_cpus, 2.5);
  EXPECT_EQ(state.load_1min, 0.75);
  fs::remove_all(root);
}

}  // namespace
}  // namespace tilewright::measure
