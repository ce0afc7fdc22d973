#include "measure/record/near_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace tilewright::measure {
namespace {

// Letters to insert, delete or exchange to get from one word to the other.
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

}  // namespace tilewright::measure
