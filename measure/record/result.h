// What a run leaves behind, as plain structs; docs/results-schema.md is the same in words, and
// record/json.h reads and writes it. Every printed figure can be computed again from the samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/cards/card.h"
#include "measure/cards/cpu_state.h"
#include "measure/timers/sample_facts.h"
#include "tilewright/gemm.h"

namespace tilewright::measure {

inline constexpr int kSchemaVersion = 2;

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

// One turn of one implementation: the card before and after it, and on the average of it.
struct CardTurn {
  CardReading before, after;
  std::optional<double> sm_mhz, power_mw;  // means of what was read from before to after
};

// A longer run of launches, back to back, that an energy counter can resolve.
struct EnergyWindow {
  std::int64_t window_ns = 0, launches = 0;
  std::int64_t energy_mj = 0;
  std::int64_t resolution_ns = 0;  // of the counter, as seen
};

// One launch with operands in the cache, with operands rotated, and after a flush: what shows that
// the figure of an entry is of the kind it says.
struct CacheTriple {
  double hot_ns = 0, rotated_ns = 0, flushed_ns = 0;
};

// What a profiler counted in one launch, on request.
struct Counters {
  std::string state;   // "ok", "denied", "missing", "failed"
  std::string reason;  // for all but "ok", with a remedy
  std::optional<double> l2_hit_percent, sm_percent, dram_percent, l2_percent;
  std::optional<std::int64_t> dram_read_bytes, dram_written_bytes, multicast_bytes;
};

// One implementation in one cell.
struct Entry {
  std::string id;
  // "ok", "missing" (library absent), "unsupported" (refuses the problem), "failed" (wrong result or
  // an error). Only "ok" has times.
  std::string status;
  std::string reason;  // for all but "ok"
  std::string kernel, version, path, policy;
  std::string padding;  // work done beyond the problem, and timed; empty for none
  std::int64_t workspace_limit_bytes = 0;
  std::int64_t persisting_l2_bytes = 0;  // reserved in its turns
  CheckRecord check_before, check_after;  // after: the buffers that were timed
  std::int64_t launches_per_sample = 0;   // a sample is the time of this many launches together
  std::vector<std::vector<std::int64_t>> rounds_ns;  // raw samples, round by round
  std::vector<CardTurn> turns;  // one a round; empty where the card could not be read
  SampleFacts facts;            // of the last samples: gaps, what the host needed, kernels
  std::vector<std::string> flags;  // why a reader should doubt the figure: "above peak: ..."
  std::optional<EnergyWindow> energy;
  std::optional<CacheTriple> triple;
  std::optional<Counters> counters;
  // Computed from the samples when a file is written or read, never edited by hand:
  std::vector<double> round_medians_ns;  // of one launch
  double time_ns = 0;                    // median of the round medians, one launch
  double fastest_ns = 0, slowest_ns = 0;  // of the round medians: the whiskers
  double tflops = 0;                     // 2 m n k batch / time
  std::optional<double> settled_mhz;     // SM clock, mean over its turns
};

// How the device came to a steady state before the rounds.
struct WarmUp {
  std::int64_t ms = 0;
  std::optional<bool> settled;            // absent where there was no clock to watch
  std::optional<double> slope_percent_s;  // of the SM clock at the end, a second
};

struct Cell {
  std::string op = "gemm";
  GemmProblem problem;
  std::string device_uuid;  // GPU UUID, or the CPU model
  std::string regime, timer;
  std::string test = "fixed-power";
  std::string cache = "rotated";  // "rotated", "flushed" or "warm": what was done to it
  std::string flush;              // "discard" or "read" where it was flushed
  std::string fill;               // "uniform[-1,1]"
  std::optional<double> fill_entropy_bits;  // of a byte of A, 0 to 8
  std::uint64_t seed = 0;
  std::int64_t footprint_bytes = 0;  // A, B, C, D of one set
  std::int64_t sets = 0;             // rotated, every launch
  std::int64_t cache_bytes = 0;      // last-level cache that the rotation is measured against
  double reuse_distance_over_cache = 0;  // bytes touched between two uses of a line / cache_bytes
  std::vector<Entry> entries;
  std::vector<std::vector<std::int64_t>> order;  // of each round: places of entries, as timed
  std::string against;             // id of the entry that ratios and verdicts are about
  std::string stopped = "rounds";  // why no more rounds: "rounds", "decided", "budget", "most"
  WarmUp warm_up;
  std::optional<double> clock_overhead_ns;  // what the clock reads around nothing
  std::optional<double> read_floor_ns;      // a plain read of as many bytes, same cache treatment
  std::vector<CardReading> trace;           // of the card over the cell; empty where there is none
  int call = 0;  // which call of the tool measured it: 0 is the first
  // Whether the operands of every launch came from memory: shown by what was done to the cache, and
  // by the bytes touched between two uses of a line.
  bool is_cold() const {
    return cache == "flushed" || (cache == "rotated" && reuse_distance_over_cache >= 1);
  }
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

// One call of the tool; a file may be filled by several.
struct Call {
  RunProvenance provenance;
  int warmup_ms = 0, rounds = 0, samples_per_round = 0;
};

// What the card does at best, measured before the first cell.
struct Bandwidths {
  double read_gbs = 0;  // bytes read; 0: not measured
  double copy_gbs = 0;  // bytes read and written
};

// The card beyond DeviceInfo, and the libraries that watch it.
struct CardFacts {
  std::string missing;  // why clocks, power and energy are null; empty where they are there
  std::string driver_version;
  std::optional<int> power_limit_mw, highest_sm_mhz, highest_memory_mhz;
  std::string cupti_path;
  std::int64_t cupti_version = 0;  // 0: not used
  std::optional<CpuState> cpu;     // of the host
};

struct RunFile {
  int schema_version = kSchemaVersion;
  std::vector<Call> calls;  // at least one
  DeviceInfo device;
  CardFacts card;
  Bandwidths bandwidths;
  std::vector<Cell> cells;
  std::vector<std::string> warnings;
};

}  // namespace tilewright::measure
