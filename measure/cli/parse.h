// Words of the command line -> values, strictly. What is not understood is wrong usage, in a
// sentence that names the option, the value and what is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/dtype.h"
#include "tilewright/gemm.h"

namespace tilewright::measure::cli {

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 62;

struct Bounds {
  std::int64_t least = 0, most = kLargestSize;
};

std::int64_t parse_integer(std::string_view option, std::string_view text, Bounds bounds);
double parse_real(std::string_view option, std::string_view text, double least, double most);
std::vector<std::string> split_list(std::string_view option, std::string_view text);  // at commas
std::vector<std::int64_t> parse_sizes(std::string_view option, std::string_view text);
DType parse_gemm_type(std::string_view option, std::string_view text);  // f32, f16, bf16
Order parse_order(std::string_view option, std::string_view text);

// "; did you mean a or b?", or else "; known: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

// A CLI11 check: an option that was given names something. "" is often an unset shell variable.
std::string refuse_empty(const std::string& value);

}  // namespace tilewright::measure::cli
