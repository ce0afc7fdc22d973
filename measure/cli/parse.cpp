#include "measure/cli/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "measure/cli/failure.h"
#include "measure/record/near_names.h"

namespace tilewright::measure::cli {
namespace {

template <class T>
bool read_whole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

std::int64_t parse_integer(std::string_view option, std::string_view text, Bounds bounds) {
  std::int64_t value = 0;
  if (!read_whole(text, value) || value < bounds.least || value > bounds.most) {
    wrong_usage(fmt::format("{}: '{}' is not accepted; give a whole number from {} to {}", option,
                            text, bounds.least, bounds.most));
  }
  return value;
}

double parse_real(std::string_view option, std::string_view text, double least, double most) {
  double value = 0;
  if (!read_whole(text, value) || !(value >= least && value <= most)) {
    wrong_usage(fmt::format("{}: '{}' is not accepted; give a number from {} to {}", option, text,
                            least, most));
  }
  return value;
}

std::vector<std::string> split_list(std::string_view option, std::string_view text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    items.emplace_back(text.substr(start, comma - start));
    if (items.back().empty()) {
      wrong_usage(fmt::format("{}: '{}' has an empty item; give items with one comma between them",
                              option, text));
    }
    start = comma + 1;
  }
  return items;
}

std::vector<std::int64_t> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (const std::string& item : split_list(option, text)) {
    std::int64_t value = 0;
    if (!read_whole(item, value) || value < 1 || value > kLargestSize) {
      wrong_usage(fmt::format(
          "{}: '{}' in '{}' is not accepted; give whole numbers from 1 to {} like 1024,2048",
          option, item, text, kLargestSize));
    }
    sizes.push_back(value);
  }
  return sizes;
}

DType parse_gemm_type(std::string_view option, std::string_view text) {
  const auto type = parse_dtype(text);
  if (!type || (*type != DType::kF32 && *type != DType::kF16 && *type != DType::kBF16)) {
    wrong_usage(
        fmt::format("{}: '{}' is not accepted; gemm takes f32, f16 and bf16", option, text));
  }
  return *type;
}

Order parse_order(std::string_view option, std::string_view text) {
  if (text == "row") return Order::kRowMajor;
  if (text == "col") return Order::kColMajor;
  wrong_usage(fmt::format("{}: '{}' is not accepted; give row or col", option, text));
}

std::string refuse_empty(const std::string& value) {
  return value.empty() ? "'' is not accepted; give a value or leave the option out" : "";
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> near = near_names(word, known);
  if (near.empty()) return fmt::format("; known: {}", fmt::join(known, ", "));
  return fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

}  // namespace tilewright::measure::cli
