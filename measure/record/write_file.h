// Writing a file whole: what stands at the path is the old text or the new one, never half of it.
#pragma once

#include <string>
#include <string_view>

#include "tilewright/status.h"

namespace tilewright::measure {

// Writes a temporary beside `path`, brings it to the disk, and renames it.
Status write_whole_file(const std::string& path, std::string_view text);

// Whether write_whole_file could succeed, found out before anything is measured. Leaves no trace.
Status check_writable(const std::string& path);

}  // namespace tilewright::measure
