// Which known names a wrong one may have been meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::measure {

// At most three of `known`, nearest first: those that differ in a few letters, or hold `word`
// whole. Empty when none is near.
std::vector<std::string> near_names(std::string_view word, const std::vector<std::string>& known);

}  // namespace tilewright::measure
