// Implementations that do less than they are timed for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>

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
    // The gate's two launches come first.
    return calls++ < 2 || calls % 2 == phase ? plain_gemm(p, args) : Status{};
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

// What the one cheat among the implementations of a comparison ends as.
Entry caught(const Gemm& cheat, Regime regime = Regime::kSustained) {
  FakeComparison comparison;
  comparison.protocol.regime = regime;
  comparison.add("cheat", cheat);
  comparison.add("right", right_gemm());
  const std::vector<Cell> cells = comparison.run();
  EXPECT_EQ(cells[0].entries[1].status, "ok") << cells[0].entries[1].reason;
  EXPECT_EQ(cells[0].entries[0].status, "failed");
  EXPECT_EQ(cells[0].entries[0].time_ns, 0);
  return cells[0].entries[0];
}

void copy_d(const GemmProblem& p, const void* from, void* to) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes_of(p.d.type, p.m * p.n)));
}

TEST(Cheat, OldOutputIsSeen) {
  for (const Regime regime : {Regime::kSustained, Regime::kIsolated}) {
    std::vector<std::byte> kept;
    const Entry entry = caught(
        [&](const GemmProblem& p, const GemmArgs& args) -> Status {
          if (!kept.empty()) {
            copy_d(p, kept.data(), args.d);
            return {};
          }
          Status status = plain_gemm(p, args);
          kept.resize(static_cast<std::size_t>(bytes_of(p.d.type, p.m * p.n)));
          copy_d(p, args.d, kept.data());
          return status;
        },
        regime);
    EXPECT_THAT(entry.reason, HasSubstr("where"));  // an element is of the wrong sign
  }
}

// A private copy of B would stay in the cache while the operands rotate.
TEST(Cheat, AnInputKeptFromTheFirstCallIsSeen) {
  std::vector<std::byte> kept;
  const Entry entry = caught([&](const GemmProblem& p, GemmArgs args) {
    if (kept.empty()) {
      kept.resize(static_cast<std::size_t>(bytes_of(p.b.type, p.k * p.n)));
      std::memcpy(kept.data(), args.b, kept.size());
    }
    args.b = kept.data();
    return plain_gemm(p, args);
  });
  // The gate's two sets share the sign of B; the rotation does not.
  EXPECT_TRUE(entry.check_before.passed);
  EXPECT_THAT(entry.reason, HasSubstr("after the timing"));
}

TEST(Cheat, PartOfKIsSeen) {
  const Entry entry = caught([](GemmProblem p, const GemmArgs& args) {
    p.k -= 1;
    return plain_gemm(p, args);
  });
  EXPECT_THAT(entry.reason, HasSubstr("is expected"));
}

TEST(Cheat, AnUnwrittenTileIsSeen) {
  const Entry entry = caught(
      [](const GemmProblem& p, const GemmArgs& args) { return plain_gemm(p, args, p.m - 1); });
  EXPECT_THAT(entry.reason, HasSubstr("element (7, 0) was not written"));
}

TEST(Cheat, AChangedInputIsSeen) {
  const Entry entry = caught([](const GemmProblem& p, const GemmArgs& args) {
    Status status = plain_gemm(p, args);
    set_element(p.b, const_cast<void*>(args.b), 3, 0.5);
    return status;
  });
  EXPECT_THAT(entry.reason, HasSubstr("input B is not what it was"));
}

TEST(Cheat, NothingLaunchedIsSeen) {
  const Entry entry = caught([](const GemmProblem&, const GemmArgs&) { return Status{}; });
  EXPECT_THAT(entry.reason, HasSubstr("element (0, 0) was not written"));
}

// A device whose other streams go on until all of it is waited for.
class LateDevice final : public FakeDevice {
 public:
  Status synchronize_all() override {
    for (const auto& work : std::exchange(late, {})) work();
    return {};
  }
  std::vector<std::function<void()>> late;
};

// The result is right when it is looked at, and the work on the other stream still goes on.
TEST(Cheat, WorkOnAnotherStreamIsSeen) {
  LateDevice device;
  const GemmProblem problem = default_gemm(8, 24, 16, DType::kF16, DType::kF16);
  Result<OperandSets> operands = OperandSets::allocate(device, problem, 2, false);
  ASSERT_TRUE(operands);
  ASSERT_TRUE(operands->fill({}, 1));
  const Reference reference{"plain-loops", [](const GemmProblem& p, const GemmArgs& args, Stream) {
                              return plain_gemm(p, args);
                            }};
  Result<Expected> expected = expected_for(device, reference, problem, *operands, Scalars{});
  ASSERT_TRUE(expected);
  FakePrepared on_its_stream(problem, right_gemm());
  EXPECT_TRUE(check_run(device, *expected, *operands, Scalars{}, on_its_stream)->passed);
  FakePrepared elsewhere(problem, [&](const GemmProblem& p, const GemmArgs& args) {
    device.late.push_back([&p, args] { set_element(p.d, args.d, 5, 0.0); });
    return plain_gemm(p, args);
  });
  const Result<CheckRecord> record = check_run(device, *expected, *operands, Scalars{}, elsewhere);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->passed);
  EXPECT_THAT(record->failure, HasSubstr("works on another stream"));
}

}  // namespace
}  // namespace tilewright::measure
