// Where a run comes from: the tool, the host, the hour.
#pragma once

#include <string>
#include <vector>

#include "measure/record/result.h"

namespace tilewright::measure {

// The commit that a binary was built from; empty where the build had no checkout.
struct BuiltFrom {
  std::string commit;
  bool dirty = false;
};

// Without a commit from the build, the environment variable TILEWRIGHT_GIT_COMMIT is read (a binary
// built from a bare copy of the sources); it ends in -dirty where the copy was not clean.
BuiltFrom resolve_commit(const BuiltFrom& built);

RunProvenance provenance_of(const std::vector<std::string>& command, const BuiltFrom& built,
                            const DeviceInfo& device);

}  // namespace tilewright::measure
