// One place in a JSON text, with the pointer that leads to it, read strictly.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "measure/record/json.h"

namespace tilewright::measure {

// CpuIsa as the file spells it, in the order of its values.
inline constexpr std::array<std::string_view, 3> kIsaNames = {"baseline", "avx2", "avx512"};

// Fields of an entry that only a timed one has.
inline constexpr std::array<const char*, 14> kTimedKeys = {
    "launches_per_sample", "rounds_ns",   "round_medians_ns", "time_ns", "fastest_ns",
    "slowest_ns",          "tflops",      "settled_mhz",      "flags",   "facts",
    "turns",               "energy",      "triple",           "counters"};

// Thrown by Field and caught by run_from_json: a reader of nested structures is far clearer so.
struct Malformed {
  std::string sentence;
};

class Field {
 public:
  Field(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Malformed{(pointer_.empty() ? "the top level" : pointer_) + " " + why};
  }

  Field operator[](const char* key) const {
    if (!json_.is_object()) refuse("must be an object");
    const auto found = json_.find(key);
    if (found == json_.end()) refuse("lacks the field '" + std::string(key) + "'");
    return {*found, pointer_ + "/" + key};
  }

  bool is_null() const { return json_.is_null(); }

  template <class F>
  void each(F&& visit) const {
    if (!json_.is_array()) refuse("must be a list");
    std::size_t index = 0;
    for (const Json& item : json_) visit(Field(item, pointer_ + "/" + std::to_string(index++)));
  }

  std::string text() const {
    if (!json_.is_string()) refuse("must be a string");
    return json_.get<std::string>();
  }

  bool truth() const {
    if (!json_.is_boolean()) refuse("must be true or false");
    return json_.get<bool>();
  }

  std::int64_t integer(std::int64_t least = 0,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    const bool fits = json_.is_number_integer() &&
                      (!json_.is_number_unsigned() ||
                       json_.get<std::uint64_t>() <=
                           static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits) refuse("must be a whole number");
    const auto value = json_.get<std::int64_t>();
    if (value < least) refuse("must be at least " + std::to_string(least));
    if (value > most) refuse("must be at most " + std::to_string(most));
    return value;
  }

  int small() const {
    return static_cast<int>(
        integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }

  std::uint64_t unsigned_integer() const {
    if (!json_.is_number_unsigned()) refuse("must be a whole number that is not negative");
    return json_.get<std::uint64_t>();
  }

  double number() const {
    if (!json_.is_number()) refuse("must be a number");
    return json_.get<double>();
  }

  double number_or_nan() const { return is_null() ? std::nan("") : number(); }

 private:
  const Json& json_;
  std::string pointer_;
};

}  // namespace tilewright::measure
