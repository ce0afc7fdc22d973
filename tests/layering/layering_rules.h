// Who may see whom, as rules over file names and texts (the plan behind it: docs/design.md).
#pragma once

#include <string>
#include <vector>

namespace tilewright::layering {

struct SourceFile {
  std::string path;  // from the root of the repository: "src/core/check.h"
  std::string text;
};

struct Violation {
  std::string path;
  int line = 0;
  std::string what;
};

// `files` is the whole of include/, src/ and measure/: an include that names none of them does not
// resolve.
std::vector<Violation> check_layering(const std::vector<SourceFile>& files);

// The text with comments blanked, and with the insides of string and character literals blanked too
// unless they are kept; every line stays where it was.
enum class Literals { kKept, kBlanked };
std::string without_comments(const std::string& text, Literals literals);

}  // namespace tilewright::layering
