#include "measure/cli/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "measure/cli/failure.h"

namespace tilewright::measure::cli {
namespace {

template <class T>
bool read_whole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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

std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(word, name);
    const bool part = word.size() >= 3 && name.find(word) != std::string::npos;
    if (part || distance <= std::max<std::size_t>(2, word.size() / 4)) {
      near.emplace_back(distance, name);
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i) {
    names.push_back(near[i].second);
  }
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> near = near_names(word, known);
  if (near.empty()) return fmt::format("; known: {}", fmt::join(known, ", "));
  return fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

}  // namespace tilewright::measure::cli
