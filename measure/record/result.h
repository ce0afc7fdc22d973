// What a run leaves behind, as plain structs; docs/results-schema.md is the same in words, and
// record/json.h reads and writes it. Every printed figure can be computed again from the samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/gemm.h"

namespace tilewright::measure {

inline constexpr int kSchemaVersion = 1;

struct CheckRecord {
  bool passed = false;
  std::int64_t elements = 0;        // compared
  std::string reference;            // kernel id of the reference
  double relative_l2 = 0;           // ||d - r|| / ||r||, absolute where ||r|| is 0
  double max_error = 0;             // largest |d - r|
  double max_error_over_bound = 0;  // largest |d - r| / bound; above 1 fails
  std::int64_t alarms = 0;          // elements past the narrower, statistical limit
  std::string failure;              // a sentence; empty when passed
};

// One implementation in one cell.
struct Entry {
  std::string id;
  // "ok", "missing" (library absent), "unsupported" (refuses the problem), "failed" (wrong result or
  // an error). Only "ok" has times.
  std::string status;
  std::string reason;  // for all but "ok"
  std::string kernel, version, path, policy;
  std::int64_t workspace_limit_bytes = 0;
  CheckRecord check_before, check_after;  // after: the buffers that were timed
  std::int64_t launches_per_sample = 0;   // a sample is the time of this many launches together
  std::vector<std::vector<std::int64_t>> rounds_ns;  // raw samples, round by round
  // Computed from the samples when a file is written or read, never edited by hand:
  std::vector<double> round_medians_ns;  // of one launch
  double time_ns = 0;                    // median of the round medians, one launch
  double fastest_ns = 0, slowest_ns = 0;  // of the round medians: the whiskers
  double tflops = 0;                     // 2 m n k batch / time
};

struct Cell {
  std::string op = "gemm";
  GemmProblem problem;
  std::string device_uuid;  // GPU UUID, or the CPU model
  std::string regime, timer;
  std::string fill;  // "uniform[-1,1]"
  std::uint64_t seed = 0;
  std::int64_t footprint_bytes = 0;  // A, B, C, D of one set
  std::int64_t sets = 0;             // rotated, every launch
  std::int64_t cache_bytes = 0;      // last-level cache that the rotation is measured against
  double reuse_distance_over_cache = 0;  // bytes touched between two uses of a line / cache_bytes
  std::vector<Entry> entries;
  // What a reader must know of this cell: a capped rotation and why, fewer samples and why.
  std::vector<std::string> notes;
};

struct RunProvenance {
  std::string command_line;
  std::string git_commit;
  bool git_dirty = false;
  std::string date_utc;  // ISO 8601
  std::string host_cpu, host_os;
  std::string compiler;
};

struct RunFile {
  int schema_version = kSchemaVersion;
  RunProvenance provenance;
  DeviceInfo device;
  int warmup_ms = 0, rounds = 0, samples_per_round = 0;
  std::vector<Cell> cells;
  std::vector<std::string> warnings;
};

}  // namespace tilewright::measure
