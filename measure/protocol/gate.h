// The correctness gate: what an implementation must pass before it is timed, and again after.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "measure/peers/implementation.h"
#include "measure/protocol/device.h"
#include "measure/protocol/expected.h"
#include "measure/protocol/operands.h"
#include "measure/record/result.h"

namespace tilewright::measure {

// The product of a device's own oracle. Called with D (and C) in f32, whatever the problem has.
struct Reference {
  std::string id;
  std::function<Status(const GemmProblem&, const GemmArgs&, Stream)> run;
  // Problems with more products than this are checked by the float64 sample alone.
  double most_multiply_adds = std::numeric_limits<double>::infinity();
};
Reference library_reference(const DeviceInfo& device);

struct Scalars {
  float alpha = 1, beta = 0;
};

// What D must hold for the operands of set 0.
Result<Expected> expected_for(Device& device, const Reference& reference,
                              const GemmProblem& problem, const OperandSets& operands,
                              Scalars scalars);

// Poisons D, runs once, and judges D and whether the inputs are still what they were; on set 0 and,
// where there is one, on set 1. Not
// ok when the run itself fails; a wrong result is in the record.
Result<CheckRecord> check_run(Device& device, const Expected& expected, OperandSets& operands,
                              Scalars scalars, PreparedGemm& prepared);

// Judges what a run left in `set`.
Result<CheckRecord> check_set(const Expected& expected, const OperandSets& operands,
                              std::int64_t set);

}  // namespace tilewright::measure
