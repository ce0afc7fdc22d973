#include "measure/record/journal.h"

#include <algorithm>

#include "measure/record/json.h"
#include "measure/record/write_file.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {

void Journal::open(const CardFacts& card, const Bandwidths& bandwidths) {
  if (!run_.cells.empty()) return;
  run_.card = card;
  run_.bandwidths = bandwidths;
}

Status Journal::add(Cell cell) {
  for (Entry& entry : cell.entries) {
    if (entry.status == "ok") compute_figures(cell.problem, entry);
  }
  cell.call = static_cast<int>(run_.calls.size()) - 1;
  const auto same = std::find_if(run_.cells.begin(), run_.cells.end(),
                                 [&](const Cell& each) { return same_cell(each, cell); });
  if (same == run_.cells.end()) {
    run_.cells.push_back(std::move(cell));
  } else {
    *same = std::move(cell);
  }
  return write();
}

Status Journal::warn(std::string warning) {
  run_.warnings.push_back(std::move(warning));
  return run_.cells.empty() ? Status{} : write();
}

Status Journal::write() const {
  return path_.empty() ? Status{} : write_whole_file(path_, layout_json(to_json(run_)));
}

bool same_cell(const Cell& a, const Cell& b) {
  return a.op == b.op && problem_to_json(a.problem) == problem_to_json(b.problem) &&
         a.device_uuid == b.device_uuid && a.regime == b.regime && a.timer == b.timer &&
         a.test == b.test && a.cache == b.cache && a.flush == b.flush && a.fill == b.fill &&
         a.seed == b.seed;
}

}  // namespace tilewright::measure
