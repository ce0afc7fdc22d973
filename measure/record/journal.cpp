#include "measure/record/journal.h"

#include "measure/record/json.h"
#include "measure/record/write_file.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {

Status Journal::add(Cell cell) {
  for (Entry& entry : cell.entries) {
    if (entry.status == "ok") compute_figures(cell.problem, entry);
  }
  run_.cells.push_back(std::move(cell));
  return write();
}

Status Journal::warn(std::string warning) {
  run_.warnings.push_back(std::move(warning));
  return run_.cells.empty() ? Status{} : write();
}

Status Journal::write() const {
  return path_.empty() ? Status{} : write_whole_file(path_, layout_json(to_json(run_)));
}

}  // namespace tilewright::measure
