// Implementations that do less than they are timed for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/measure/fakes.h"

namespace tilewright::measure {
namespace {

using ::testing::HasSubstr;

// Every second launch does nothing. With one of the two phases the last launch is an honest one,
// and the set that it wrote cannot give it away.
void expect_idler_caught(bool continuing_timer, int phase) {
  FakeComparison comparison;
  comparison.script->continues = continuing_timer;
  int calls = 0;
  comparison.add("idler", [&](const GemmProblem& p, const GemmArgs& args) {
    // The gate's launch comes first.
    return calls++ < 1 || calls % 2 == phase ? plain_gemm(p, args) : Status{};
  });
  comparison.add("right", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  EXPECT_TRUE(cells[0].entries[0].check_before.passed);
  EXPECT_EQ(cells[0].entries[0].status, "failed");
  EXPECT_THAT(cells[0].entries[0].reason, HasSubstr("after the timing"));
  EXPECT_EQ(cells[0].entries[1].status, "ok") << cells[0].entries[1].reason;
}

TEST(Cheat, EverySecondLaunchIdleIsSeen) {
  for (const bool continuing_timer : {false, true}) {
    for (const int phase : {0, 1}) {
      SCOPED_TRACE(continuing_timer ? "continuing" : "replaying");
      expect_idler_caught(continuing_timer, phase);
    }
  }
}

// Sums in another order from launch to launch give other bits, all of them right.
TEST(Cheat, BitsThatDifferFromSetToSetPassWhereTheyAreRight) {
  FakeComparison comparison;
  int calls = 0;
  comparison.add("wobbly", [&](const GemmProblem& p, const GemmArgs& args) {
    Status status = plain_gemm(p, args);
    if (++calls % 2 == 0) {
      const float value = element(p.d, args.d, 0);
      set_element(p.d, args.d, 0, std::nextafter(value, 2 * value));
    }
    return status;
  });
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].entries[0].status, "ok") << cells[0].entries[0].reason;
}

}  // namespace
}  // namespace tilewright::measure
