// What replayed graphs took, from a profiler's records, and every way in which records can be
// wrong.
#include "measure/timers/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ActivityRecord kernel(std::string name, std::uint64_t start, std::uint64_t end) {
  return {ActivityRecord::Kind::kKernel, std::move(name), start, end, 7};
}

// Two replays of a memset, a product and its reduction.
std::vector<ActivityRecord> two_replays() {
  ActivityRecord memset = kernel("memset", 100, 110);
  memset.kind = ActivityRecord::Kind::kMemset;
  ActivityRecord again = memset;
  again.start_ns = 1000;
  again.end_ns = 1010;
  return {memset, kernel("product", 115, 300),   kernel("reduce", 290, 330),
          again,  kernel("product", 1010, 1200), kernel("reduce", 1201, 1231)};
}

std::string refusal(const std::vector<ActivityRecord>& records, std::int64_t replays,
                    std::int64_t nodes, std::optional<std::uint64_t> lost = 0) {
  const Result<ReplaySpans> spans = replay_spans(records, replays, nodes, lost);
  return spans ? "accepted" : spans.status().message();
}

TEST(Activity, ASpanIsFromTheFirstStartToTheLastEndWithAllThatRanInIt) {
  std::vector<ActivityRecord> records = two_replays();
  std::reverse(records.begin(), records.end());  // the profiler promises no order
  const Result<ReplaySpans> spans = replay_spans(records, 2, 3, 0);
  ASSERT_TRUE(spans) << spans.status().message();
  EXPECT_THAT(spans->spans_ns, ElementsAre(230, 231));
  EXPECT_THAT(spans->gaps_ns, ElementsAre(5, 1));
  EXPECT_EQ(spans->records_per_replay, 3);
  EXPECT_THAT(spans->kernels, ElementsAre("memset", "product", "reduce"));
}

TEST(Activity, DroppedRecordsFail) {
  EXPECT_THAT(refusal(two_replays(), 2, 3, 4), HasSubstr("4 were dropped"));
}

TEST(Cases, B16_FewerOrMoreRecordsThanLaunchesFail) {
  std::vector<ActivityRecord> records = two_replays();
  records.pop_back();
  EXPECT_THAT(refusal(records, 2, 3), HasSubstr("there are 5 where 2 replays of 3"));
  records = two_replays();
  records.push_back(kernel("stray", 2000, 2001));
  EXPECT_THAT(refusal(records, 2, 3), HasSubstr("there are 7 where"));
  EXPECT_THAT(refusal({}, 2, 3), HasSubstr("there are 0 where"));
}

TEST(Cases, B17_AnUnknownLossCountsOnlyWhereNothingIsMissing) {
  EXPECT_EQ(refusal(two_replays(), 2, 3, std::nullopt), "accepted");
  std::vector<ActivityRecord> records = two_replays();
  records.pop_back();
  EXPECT_THAT(refusal(records, 2, 3, std::nullopt), HasSubstr("there are 5"));
}

TEST(Activity, StampsOfZeroAndReversedOnesFail) {
  for (const bool start : {true, false}) {
    std::vector<ActivityRecord> records = two_replays();
    (start ? records[1].start_ns : records[1].end_ns) = 0;
    EXPECT_THAT(refusal(records, 2, 3), HasSubstr("product has a time stamp of 0"));
  }
  std::vector<ActivityRecord> records = two_replays();
  records[4].end_ns = records[4].start_ns - 3;
  EXPECT_THAT(refusal(records, 2, 3), HasSubstr("ends 3 ns before it starts"));
}

TEST(Activity, AKernelSetThatChangesFails) {
  std::vector<ActivityRecord> records = two_replays();
  records[5].name = "another reduce";
  EXPECT_THAT(refusal(records, 2, 3), HasSubstr("replay 1 ran other kernels than the first"));
}

TEST(Activity, ReplaysThatOverlapFail) {
  std::vector<ActivityRecord> records = two_replays();
  records[2].end_ns = 1005;
  EXPECT_THAT(refusal(records, 2, 3), HasSubstr("replay 1 starts before replay 0 has ended"));
}

}  // namespace
}  // namespace tilewright::measure
