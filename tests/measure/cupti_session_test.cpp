// The session against a stand-in for CUPTI that hands out records byte by byte.
#include "measure/timers/cupti_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tilewright::measure {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// What the stand-in does, and what was asked of it. CUPTI's functions carry no context.
struct Script {
  int enable_result = 0, dropped_result = 0, version_result = 0, next_result = 12;
  std::uint32_t version = 130'001;
  std::size_t dropped = 0;
  std::vector<std::string> calls;
  std::vector<std::vector<std::uint8_t>> pending;  // records of the next flush
  void (*request)(std::uint8_t**, std::size_t*, std::size_t*) = nullptr;
  void (*complete)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) = nullptr;
};
Script* g_script = nullptr;

constexpr std::size_t kRecordBytes = 216;

template <class T>
void put(std::vector<std::uint8_t>& record, std::size_t at, T value) {
  std::memcpy(record.data() + at, &value, sizeof value);
}

std::vector<std::uint8_t> record_of(std::int32_t kind, std::uint64_t start, std::uint64_t end,
                                    std::uint32_t stream, const char* name) {
  std::vector<std::uint8_t> record(kRecordBytes, 0xcd);
  put(record, 0, kind);
  put(record, 16, start);
  put(record, 24, end);
  put(record, kind == 10 ? 48 : 40, stream);
  if (kind == 10) put(record, 104, name);
  return record;
}

CuptiApi stand_in() {
  CuptiApi api;
  api.register_callbacks = [](auto request, auto complete) {
    g_script->calls.push_back("register");
    g_script->request = request;
    g_script->complete = complete;
    return 0;
  };
  api.enable = [](int kind) {
    g_script->calls.push_back("enable " + std::to_string(kind));
    return g_script->enable_result;
  };
  api.flush_all = [](std::uint32_t flag) {
    EXPECT_EQ(flag, 1u);
    if (g_script->pending.empty()) return 0;
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 7;
    g_script->request(&buffer, &size, &most);
    EXPECT_EQ(most, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 8, 0u);
    std::size_t used = 0;
    for (const auto& record : g_script->pending) {
      std::memcpy(buffer + used, record.data(), record.size());
      used += record.size();
    }
    g_script->pending.clear();
    g_script->complete(nullptr, 0, buffer, size, used);
    return 0;
  };
  api.next_record = [](std::uint8_t* buffer, std::size_t valid, void** record) {
    auto* last = static_cast<std::uint8_t*>(*record);
    std::uint8_t* next = last == nullptr ? buffer : last + kRecordBytes;
    if (next >= buffer + valid) return g_script->next_result;
    *record = next;
    return 0;
  };
  api.dropped_records = [](void*, std::uint32_t, std::size_t* dropped) {
    *dropped = g_script->dropped;
    return g_script->dropped_result;
  };
  api.version = [](std::uint32_t* version) {
    *version = g_script->version;
    return g_script->version_result;
  };
  api.result_string = [](int, const char** text) {
    *text = "CUPTI_ERROR_OF_A_TEST";
    return 0;
  };
  return api;
}

class Cupti : public ::testing::Test {
 protected:
  Cupti() { g_script = &script_; }
  ~Cupti() override { g_script = nullptr; }

  std::string refusal(int least_version = 12) {
    const auto session = CuptiSession::open_with(stand_in(), "/lib/libcupti.so.13", least_version);
    return session ? "accepted" : session.status().message();
  }

  Script script_;
};

TEST_F(Cupti, RecordsOfKernelsMemsetsAndCopiesAreRead) {
  const auto session = CuptiSession::open_with(stand_in(), "/lib/libcupti.so.13", 12);
  ASSERT_TRUE(session) << session.status().message();
  EXPECT_EQ((*session)->path(), "/lib/libcupti.so.13");
  EXPECT_EQ((*session)->version(), 130'001u);
  // Callbacks first: what is recorded before them is lost.
  EXPECT_THAT(script_.calls,
              ::testing::ElementsAre("register", "enable 10", "enable 1", "enable 2"));
  script_.pending = {record_of(10, 5, 9, 3, "old")};
  ASSERT_TRUE((*session)->begin());
  script_.pending = {record_of(10, 100, 200, 7, "a kernel"), record_of(2, 210, 220, 7, nullptr),
                     record_of(1, 230, 240, 8, nullptr), record_of(33, 1, 2, 3, nullptr)};
  const auto taken = (*session)->take();
  ASSERT_TRUE(taken) << taken.status().message();
  ASSERT_EQ(taken->records.size(), 3u) << "other kinds are left out, and so is what came before";
  EXPECT_EQ(taken->records[0].name, "a kernel");
  EXPECT_EQ(taken->records[0].start_ns, 100u);
  EXPECT_EQ(taken->records[0].end_ns, 200u);
  EXPECT_EQ(taken->records[0].stream, 7u);
  EXPECT_EQ(taken->records[1].kind, ActivityRecord::Kind::kMemset);
  EXPECT_EQ(taken->records[2].kind, ActivityRecord::Kind::kMemcpy);
  EXPECT_EQ(taken->records[2].stream, 8u);
  EXPECT_EQ(taken->lost, 0u);
}

TEST_F(Cupti, LossIsCounted) {
  const auto session = CuptiSession::open_with(stand_in(), "x", 12);
  script_.dropped = 6;
  EXPECT_EQ((*session)->take()->lost, 6u);
}

TEST_F(Cupti, B17_ACountThatFailsIsUnknownAndNotZero) {
  const auto session = CuptiSession::open_with(stand_in(), "x", 12);
  script_.dropped_result = 1;
  const auto taken = (*session)->take();
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->lost.has_value());
}

TEST_F(Cupti, B01_ARefusalSaysWhatToPermit) {
  script_.enable_result = 35;
  EXPECT_THAT(refusal(), AllOf(HasSubstr("CUPTI_ERROR_OF_A_TEST (35)"),
                               HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"),
                               HasSubstr("--timer events")));
  script_.enable_result = 39;
  EXPECT_THAT(refusal(), HasSubstr("another profiler is attached"));
  script_.enable_result = 3;
  EXPECT_THAT(refusal(), HasSubstr("cuptiActivityEnable answered"));
}

TEST_F(Cupti, VersionsBelowTheFloorAreRefused) {
  EXPECT_EQ(refusal(13), "accepted");
  EXPECT_EQ(refusal(130'001), "accepted");
  EXPECT_THAT(refusal(130'100), AllOf(HasSubstr("is of version 13.0, and 13.1 or newer"),
                                      HasSubstr("TILEWRIGHT_CUPTI")));
  script_.version = 24;  // as CUDA 12.4 counted
  EXPECT_EQ(refusal(12), "accepted");
  EXPECT_THAT(refusal(13), HasSubstr("is of version API 24"));
  script_.version = 17;  // CUDA 11.8
  EXPECT_THAT(refusal(12), HasSubstr("API 17"));
}

TEST_F(Cupti, ABufferThatDoesNotReadToItsEndFails) {
  const auto session = CuptiSession::open_with(stand_in(), "x", 12);
  script_.pending = {record_of(10, 5, 9, 3, "a kernel")};
  script_.next_result = 4;
  EXPECT_THAT((*session)->take().status().message(), HasSubstr("cuptiActivityGetNextRecord"));
}

}  // namespace
}  // namespace tilewright::measure
