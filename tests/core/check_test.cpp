#include "core/check.h"

#include <gtest/gtest.h>

#include "tilewright/status.h"

namespace tilewright {
namespace {

constexpr int half(int even) {
  check(even % 2 == 0, "half() takes even numbers");
  return even / 2;
}
static_assert(half(4) == 2);

TEST(Check, aborts_with_file_and_sentence) {
  EXPECT_EQ(half(6), 3);
  EXPECT_DEATH(half(3), "check_test.cpp:[0-9]+: broken invariant in .*half.*takes even numbers");
}

TEST(Result, value_of_a_failure_aborts_with_its_message) {
  const Result<int> failed = Status::invalid("m is -1");
  EXPECT_DEATH(failed.value(), "value of a failed Result: m is -1");
}

}  // namespace
}  // namespace tilewright
