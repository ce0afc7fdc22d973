// Two result files, made by hand, held against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/record/json.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tool_run.h"

namespace tilewright::measure::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Eight rounds around `time_ns`, half a percent apart.
Entry spread_entry(const std::string& id, std::int64_t time_ns) {
  Entry entry = made_entry(id, time_ns);
  entry.rounds_ns.clear();
  for (int round = 0; round < 8; ++round) {
    entry.rounds_ns.push_back({time_ns + time_ns * (round - 4) / 1600});
  }
  return entry;
}

RunFile run_of(std::int64_t ours_ns, std::int64_t peer_ns) {
  return made_run(
      {made_cell(64, 64, 64,
                 {spread_entry("tilewright", ours_ns), spread_entry("openblas", peer_ns),
                  untimed_entry("onednn", "missing", "no library")})});
}

class Gate : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const RunFile& run) {
    return folder_.write(name, layout_json(to_json(run)));
  }
  ToolRun gate(const RunFile& before, const RunFile& after,
               const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"gate", file("old.json", before), file("new.json", after)};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool_binary(words);
  }
  ScratchFolder folder_;
};

TEST_F(Gate, tells_slower_from_the_same_and_from_faster) {
  EXPECT_EQ(gate(run_of(100'000, 200'000), run_of(100'000, 200'000)).exit_code, 0);
  const ToolRun slower = gate(run_of(100'000, 200'000), run_of(103'000, 200'000));
  EXPECT_EQ(slower.exit_code, 1) << slower.err;
  EXPECT_THAT(slower.out, AllOf(HasSubstr("SLOWER"), HasSubstr("1 slower, 0 lost")));
  const ToolRun faster = gate(run_of(100'000, 200'000), run_of(90'000, 200'000));
  EXPECT_EQ(faster.exit_code, 0);
  EXPECT_THAT(faster.out, HasSubstr("FASTER"));
  EXPECT_EQ(gate(run_of(100'000, 200'000), run_of(103'000, 200'000), {"--within", "0.1"}).exit_code,
            0);
}

TEST_F(Gate, what_cannot_be_told_is_undecided) {
  RunFile noisy = run_of(100'000, 200'000);
  Entry& entry = noisy.cells[0].entries[0];
  for (std::size_t round = 0; round < 8; ++round) {
    entry.rounds_ns[round][0] = round % 2 == 0 ? 90'000 : 111'000;
  }
  compute_figures(noisy.cells[0].problem, entry);
  const ToolRun run = gate(run_of(100'000, 200'000), noisy);
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("UNDECIDED"));
}

TEST_F(Gate, a_time_that_is_lost_is_a_regression) {
  RunFile lost = run_of(100'000, 200'000);
  lost.cells[0].entries[0] = untimed_entry("tilewright", "failed", "wrong result");
  const ToolRun run = gate(run_of(100'000, 200'000), lost);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("LOST"));
}

TEST_F(Gate, B27_files_made_in_other_ways_are_refused_with_every_difference) {
  RunFile other = run_of(100'000, 200'000);
  other.cells[0].regime = "isolated";
  other.cells[0].timer = "cupti";
  other.cells[0].cache = "flushed";
  other.cells[0].flush = "discard";
  other.cells[0].device_uuid = "GPU-2";
  other.card.driver_version = "1.2";
  const ToolRun run = gate(run_of(100'000, 200'000), other);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("the regime is 'sustained' and 'isolated'"),
                             HasSubstr("the timer is 'events' and 'cupti'"),
                             HasSubstr("the cache treatment is 'rotated ' and 'flushed discard'"),
                             HasSubstr("the device is 'GPU-1' and 'GPU-2'"),
                             HasSubstr("the driver is '' and '1.2'")));
}

TEST_F(Gate, nothing_in_common_is_no_comparison) {
  RunFile other = run_of(100'000, 200'000);
  other.cells[0].problem.m = 65;
  for (Entry& entry : other.cells[0].entries) {
    if (entry.status == "ok") compute_figures(other.cells[0].problem, entry);
  }
  const ToolRun run = gate(run_of(100'000, 200'000), other);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("0 timed cells in common"));
  EXPECT_EQ(run_tool_binary({"gate", "/nonexistent.json", "/nonexistent.json"}).exit_code, 4);
  EXPECT_EQ(run_tool_binary({"gate", "/nonexistent.json"}).exit_code, 2);
}

}  // namespace
}  // namespace tilewright::measure::test
