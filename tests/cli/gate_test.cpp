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
using testing::Not;

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
  // A regression beside it is the worse news.
  EXPECT_EQ(gate(run_of(100'000, 100'000), noisy).exit_code, 1);
}

TEST_F(Gate, a_time_that_is_lost_is_a_regression) {
  RunFile lost = run_of(100'000, 200'000);
  lost.cells[0].entries[0] = untimed_entry("tilewright", "failed", "wrong result");
  const ToolRun failed = gate(run_of(100'000, 200'000), lost);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, HasSubstr("LOST"));
  EXPECT_THAT(failed.err,
              HasSubstr("64x64x64 f16: tilewright lost its time: failed: wrong result"));
  lost.cells[0].entries.erase(lost.cells[0].entries.begin());
  const ToolRun absent = gate(run_of(100'000, 200'000), lost);
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.err, HasSubstr("64x64x64 f16: tilewright lost its time: it took no part"));
}

TEST_F(Gate, what_is_new_is_told_and_does_not_count) {
  RunFile more = run_of(100'000, 200'000);
  more.cells[0].entries[2] = spread_entry("onednn", 900'000);
  compute_figures(more.cells[0].problem, more.cells[0].entries[2]);
  more.cells[0].entries.push_back(spread_entry("late", 900'000));
  compute_figures(more.cells[0].problem, more.cells[0].entries[3]);
  more.cells.push_back(made_cell(128, 64, 64, {spread_entry("tilewright", 900'000)}));
  const ToolRun run = gate(run_of(100'000, 200'000), more);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("64x64x64 f16: onednn is new"),
                             HasSubstr("64x64x64 f16: late is new"),
                             HasSubstr("128x64x64 f16 is not in the old file")));
  EXPECT_THAT(run.out, AllOf(Not(HasSubstr("late")), HasSubstr("0 slower, 0 lost, 0 undecided")));
}

TEST_F(Gate, fewer_than_three_rounds_decide_nothing) {
  const auto short_run = [](std::int64_t time_ns) {
    return made_run({made_cell(64, 64, 64, {made_entry("tilewright", time_ns)})});
  };
  EXPECT_EQ(gate(short_run(100'000), short_run(200'000)).exit_code, 3);
}

TEST_F(Gate, every_form_of_the_table_holds_both_times_and_the_interval) {
  const RunFile before = run_of(100'000, 200'000), after = run_of(103'000, 200'000);
  const Json rows = Json::parse(gate(before, after, {"--format", "json"}).out, nullptr, false);
  ASSERT_TRUE(rows.is_array());
  ASSERT_EQ(rows.size(), 2u);
  const Json& ours = rows[0];
  EXPECT_EQ(ours.at("implementation"), "tilewright");
  EXPECT_NEAR(ours.at("old_us").get<double>(), 99.97, 0.01);
  EXPECT_NEAR(ours.at("new_us").get<double>(), 102.97, 0.01);
  EXPECT_NEAR(ours.at("old_tflops").get<double>(), 2.0 * 64 * 64 * 64 / 99'968.5 * 1e-3, 1e-6);
  EXPECT_NEAR(ours.at("ratio").get<double>(), 1.03, 1e-4);
  EXPECT_LT(ours.at("ratio_low"), ours.at("ratio"));
  EXPECT_GT(ours.at("ratio_high"), ours.at("ratio"));
  EXPECT_EQ(ours.at("verdict"), "SLOWER");
  EXPECT_EQ(rows[1].at("verdict"), "SAME");
  const auto csv = parse_csv(gate(before, after, {"--format", "csv"}).out);
  ASSERT_EQ(csv.size(), 3u);
  EXPECT_EQ(csv[1].back(), "SLOWER");
  EXPECT_THAT(gate(before, after, {"--format", "markdown"}).out, HasSubstr("| SLOWER"));
  // A wider interval for more confidence, from the same samples.
  const auto width = [&](const std::string& confidence) {
    const Json row =
        Json::parse(gate(before, after, {"--format", "json", "--confidence", confidence}).out)[0];
    return row.at("ratio_high").get<double>() - row.at("ratio_low").get<double>();
  };
  EXPECT_GT(width("0.99"), width("0.6"));
  EXPECT_EQ(gate(before, after, {"--confidence", "95"}).exit_code, 2);
  EXPECT_EQ(gate(before, after, {"--within", "-1"}).exit_code, 2);
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

TEST_F(Gate, B27_every_other_way_of_measuring_is_refused_by_its_name) {
  const auto refused = [&](const std::string& said, const auto& change) {
    RunFile other = run_of(100'000, 200'000);
    change(other);
    const ToolRun run = gate(run_of(100'000, 200'000), other);
    EXPECT_EQ(run.exit_code, 4) << said;
    EXPECT_THAT(run.err, HasSubstr(said));
    EXPECT_EQ(run.out, "");
  };
  refused("the backend is 'cpu' and 'cuda'", [](RunFile& run) { run.device = *card("h200"); });
  refused("the test is 'fixed-power' and 'fixed-frequency'",
          [](RunFile& run) { run.cells[0].test = "fixed-frequency"; });
  refused("the fill is 'uniform[-1,1]' and 'zero'",
          [](RunFile& run) { run.cells[0].fill = "zero"; });
  refused("the seed is '0' and '7'", [](RunFile& run) { run.cells[0].seed = 7; });
  refused("the cache treatment is 'rotated ' and 'warm '",
          [](RunFile& run) { run.cells[0].cache = "warm"; });
  // Rotated in both, through sets too few to leave the cache in one of them.
  refused("64x64x64 f16 is 'warm' and 'cold'",
          [](RunFile& run) { run.cells[0].reuse_distance_over_cache = 2; });
}

TEST_F(Gate, B27_a_second_card_is_seen_in_any_cell) {
  const auto two = [](const std::string& second_uuid) {
    RunFile run = run_of(100'000, 200'000);
    run.cells.push_back(made_cell(128, 64, 64, {spread_entry("tilewright", 300'000)}));
    run.cells[1].device_uuid = second_uuid;
    return run;
  };
  const ToolRun run = gate(two("GPU-1"), two("GPU-2"));
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("the device is 'GPU-1' and 'GPU-1, GPU-2'"));
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
