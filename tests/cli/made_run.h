// Result files with known numbers, made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/record/result.h"
#include "measure/stats/summary.h"

namespace tilewright::measure::test {

// Two rounds of one sample each, both `time_ns`.
inline Entry made_entry(std::string id, std::int64_t time_ns) {
  Entry entry;
  entry.id = std::move(id);
  entry.status = "ok";
  entry.kernel = "kernel of " + entry.id;
  entry.check_before.passed = true;
  entry.check_before.elements = 4;
  entry.check_before.reference = "gemm-cpu-reference";
  entry.check_before.max_error_over_bound = 0.25;
  entry.check_after = entry.check_before;
  entry.launches_per_sample = 1;
  entry.rounds_ns = {{time_ns}, {time_ns}};
  return entry;
}

inline Entry untimed_entry(std::string id, std::string status, std::string reason) {
  Entry entry;
  entry.id = std::move(id);
  entry.status = std::move(status);
  entry.reason = std::move(reason);
  return entry;
}

inline Cell made_cell(std::int64_t m, std::int64_t n, std::int64_t k, std::vector<Entry> entries) {
  Cell cell;
  cell.problem = default_gemm(m, n, k, DType::kF16, DType::kF16);
  cell.device_uuid = "GPU-1";
  cell.regime = "sustained";
  cell.timer = "events";
  cell.fill = "uniform[-1,1]";
  cell.entries = std::move(entries);
  for (Entry& entry : cell.entries) {
    if (entry.status == "ok") compute_figures(cell.problem, entry);
  }
  return cell;
}

inline RunFile made_run(std::vector<Cell> cells) {
  RunFile run;
  run.calls.push_back({{"tilewright compare gemm", "0123abcd", false, "2026-01-02T03:04:05Z",
                        "a CPU, 2 cores", "Linux", "g++ 12"},
                       0,
                       2,
                       1});
  run.device = cpu_device();
  run.cells = std::move(cells);
  return run;
}

}  // namespace tilewright::measure::test
