// RunFile <-> JSON. The reader is strict: a field that is missing, of the wrong type or at odds
// with the samples is refused in a sentence that carries the JSON pointer. Words:
// docs/results-schema.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "measure/record/result.h"
#include "tilewright/status.h"

namespace tilewright::measure {

using Json = nlohmann::ordered_json;

Json to_json(const RunFile& run);
// Objects on lines of their own, lists of plain values on one line: short, and good to compare.
std::string layout_json(const Json& json);

Result<RunFile> run_from_json(std::string_view text);
Result<RunFile> read_run(const std::string& path);

Json problem_to_json(const GemmProblem& problem);
// Device facts as the file holds them; `tilewright info --format json` prints the same.
Json device_to_json(const DeviceInfo& device);

}  // namespace tilewright::measure
