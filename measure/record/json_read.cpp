#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "measure/record/json.h"
#include "measure/record/json_field.h"
#include "measure/record/json_state.h"
#include "measure/stats/summary.h"

namespace tilewright::measure {
namespace {

DType dtype_from(const Field& field) {
  const auto type = parse_dtype(field.text());
  if (!type) field.refuse("names no number format: '" + field.text() + "'");
  return *type;
}

Order order_from(const Field& field) {
  const std::string text = field.text();
  if (text != "row" && text != "col") field.refuse("must be row or col, not '" + text + "'");
  return text == "row" ? Order::kRowMajor : Order::kColMajor;
}

Operand operand_from(const Field& field) {
  Operand operand;
  operand.type = dtype_from(field["type"]);
  operand.order = order_from(field["order"]);
  operand.ld = field["ld"].integer();
  operand.batch_stride = field["batch_stride"].integer();
  operand.alignment_bytes = field["alignment_bytes"].small();
  return operand;
}

GemmProblem problem_from(const Field& field) {
  GemmProblem problem;
  problem.m = field["m"].integer(1);
  problem.n = field["n"].integer(1);
  problem.k = field["k"].integer(1);
  problem.batch = field["batch"].integer(1);
  problem.a = operand_from(field["a"]);
  problem.b = operand_from(field["b"]);
  problem.c = operand_from(field["c"]);
  problem.d = operand_from(field["d"]);
  return problem;
}

CheckRecord check_from(const Field& field) {
  CheckRecord check;
  check.passed = field["passed"].truth();
  check.elements = field["elements"].integer();
  check.reference = field["reference"].text();
  check.relative_l2 = field["relative_l2"].number_or_nan();
  check.max_error = field["max_error"].number_or_nan();
  check.max_error_over_bound = field["max_error_over_bound"].number_or_nan();
  check.alarms = field["alarms"].integer();
  check.failure = field["failure"].text();
  return check;
}

// The stored figure must be the one that its samples give; only rounding of the text is forgiven.
void agree(const Field& field, double computed) {
  const double stored = field.number();
  if (std::abs(stored - computed) <= 1e-9 * std::abs(computed)) return;
  field.refuse(fmt::format("is {}, but the samples give {}", stored, computed));
}

void samples_from(const Field& field, const GemmProblem& problem, Entry& entry) {
  entry.launches_per_sample = field["launches_per_sample"].integer(1);
  field["rounds_ns"].each([&](const Field& round) {
    std::vector<std::int64_t>& samples = entry.rounds_ns.emplace_back();
    round.each([&](const Field& sample) { samples.push_back(sample.integer(1)); });
    if (samples.empty()) round.refuse("holds no sample");
  });
  if (entry.rounds_ns.empty()) field["rounds_ns"].refuse("holds no round");
  compute_figures(problem, entry);

  std::size_t round = 0;
  field["round_medians_ns"].each([&](const Field& median) {
    if (round >= entry.round_medians_ns.size()) median.refuse("is more than there are rounds");
    agree(median, entry.round_medians_ns[round++]);
  });
  if (round != entry.round_medians_ns.size()) {
    field["round_medians_ns"].refuse("must hold a figure for each round");
  }
  agree(field["time_ns"], entry.time_ns);
  agree(field["fastest_ns"], entry.fastest_ns);
  agree(field["slowest_ns"], entry.slowest_ns);
  agree(field["tflops"], entry.tflops);
}

void state_from(const Field& field, Entry& entry) {
  entry.turns = turns_from(field["turns"]);
  if (!entry.turns.empty() && entry.turns.size() != entry.rounds_ns.size()) {
    field["turns"].refuse("must hold a turn for each round");
  }
  entry.settled_mhz = mean_clock(entry.turns);
  if (entry.settled_mhz.has_value() != !field["settled_mhz"].is_null()) {
    field["settled_mhz"].refuse("must be null exactly where no turn has a clock");
  }
  if (entry.settled_mhz) agree(field["settled_mhz"], *entry.settled_mhz);
  field["flags"].each([&](const Field& flag) { entry.flags.push_back(flag.text()); });
  entry.facts = facts_from(field["facts"]);
  entry.energy = energy_from(field["energy"]);
  entry.triple = triple_from(field["triple"]);
  entry.counters = counters_from(field["counters"]);
}

Entry entry_from(const Field& field, const GemmProblem& problem) {
  Entry entry;
  entry.id = field["id"].text();
  entry.status = field["status"].text();
  entry.reason = field["reason"].text();
  entry.kernel = field["kernel"].text();
  entry.version = field["version"].text();
  entry.path = field["path"].text();
  entry.policy = field["policy"].text();
  entry.padding = field["padding"].text();
  entry.workspace_limit_bytes = field["workspace_limit_bytes"].integer();
  entry.persisting_l2_bytes = field["persisting_l2_bytes"].integer();
  entry.check_before = check_from(field["check_before"]);
  entry.check_after = check_from(field["check_after"]);
  if (entry.status == "ok") {
    for (const auto& [key, check] : {std::pair{"check_before", &entry.check_before},
                                     std::pair{"check_after", &entry.check_after}}) {
      if (check->reference.empty()) continue;  // not checked
      if (!check->passed || check->max_error_over_bound > 1) {
        field[key].refuse("must have passed, within its bound, where the status is ok");
      }
    }
    samples_from(field, problem, entry);
    state_from(field, entry);
    return entry;
  }
  constexpr std::array kUntimed = {"missing", "unsupported", "failed"};
  if (std::find(kUntimed.begin(), kUntimed.end(), entry.status) == kUntimed.end()) {
    field["status"].refuse("must be ok, missing, unsupported or failed, not '" + entry.status +
                           "'");
  }
  if (entry.reason.empty()) field["reason"].refuse("must say why there is no time");
  for (const char* key : kTimedKeys) {
    if (!field[key].is_null()) field[key].refuse("must be null where the status is not ok");
  }
  return entry;
}

// How the cell was measured, beside what was.
void protocol_from(const Field& field, Cell& cell) {
  cell.call = field["call"].small();
  field["order"].each([&](const Field& round) {
    std::vector<std::int64_t>& places = cell.order.emplace_back();
    round.each([&](const Field& place) { places.push_back(place.integer()); });
  });
  cell.against = field["against"].text();
  cell.stopped = field["stopped"].text();
  cell.warm_up = warm_up_from(field["warm_up"]);
  if (!field["clock_overhead_ns"].is_null()) {
    cell.clock_overhead_ns = field["clock_overhead_ns"].number();
  }
  if (!field["read_floor_ns"].is_null()) cell.read_floor_ns = field["read_floor_ns"].number();
  cell.trace = readings_from(field["trace"]);
}

Cell cell_from(const Field& field) {
  Cell cell;
  cell.op = field["op"].text();
  if (cell.op != "gemm") field["op"].refuse("must be gemm, not '" + cell.op + "'");
  cell.problem = problem_from(field["problem"]);
  cell.device_uuid = field["device_uuid"].text();
  cell.regime = field["regime"].text();
  if (cell.regime != "isolated" && cell.regime != "sustained") {
    field["regime"].refuse("must be isolated or sustained, not '" + cell.regime + "'");
  }
  cell.timer = field["timer"].text();
  cell.test = field["test"].text();
  if (cell.test != "fixed-power" && cell.test != "fixed-frequency") {
    field["test"].refuse("must be fixed-power or fixed-frequency, not '" + cell.test + "'");
  }
  cell.cache = field["cache"].text();
  if (cell.cache != "rotated" && cell.cache != "flushed" && cell.cache != "warm") {
    field["cache"].refuse("must be rotated, flushed or warm, not '" + cell.cache + "'");
  }
  cell.flush = field["flush"].text();
  cell.fill = field["fill"].text();
  if (!field["fill_entropy_bits"].is_null()) {
    cell.fill_entropy_bits = field["fill_entropy_bits"].number();
  }
  cell.seed = field["seed"].unsigned_integer();
  cell.footprint_bytes = field["footprint_bytes"].integer();
  cell.sets = field["sets"].integer();
  cell.cache_bytes = field["cache_bytes"].integer();
  cell.reuse_distance_over_cache = field["reuse_distance_over_cache"].number_or_nan();
  if (field["cold"].truth() != cell.is_cold()) {
    field["cold"].refuse(cell.is_cold() ? "must be true: the operands came from memory"
                                        : "must be false: the operands may have been in the cache");
  }
  field["notes"].each([&](const Field& note) { cell.notes.push_back(note.text()); });
  protocol_from(field, cell);
  field["entries"].each([&](const Field& entry) {
    cell.entries.push_back(entry_from(entry, cell.problem));
    const auto same = [&](const Entry& other) { return other.id == cell.entries.back().id; };
    if (std::count_if(cell.entries.begin(), cell.entries.end(), same) > 1) {
      entry["id"].refuse("stands twice in this cell");
    }
  });
  return cell;
}

CpuIsa isa_from(const Field& field) {
  const auto found = std::find(kIsaNames.begin(), kIsaNames.end(), field.text());
  if (found == kIsaNames.end()) field.refuse("must be baseline, avx2 or avx512");
  return static_cast<CpuIsa>(found - kIsaNames.begin());
}

CpuInfo cpu_from(const Field& field) {
  CpuInfo cpu;
  cpu.model = field["model"].text();
  cpu.cores = field["cores"].small();
  cpu.isa = isa_from(field["isa"]);
  cpu.avx512_bf16 = field["avx512_bf16"].truth();
  cpu.avx512_fp16 = field["avx512_fp16"].truth();
  cpu.amx_bf16 = field["amx_bf16"].truth();
  cpu.amx_int8 = field["amx_int8"].truth();
  cpu.l1d_bytes = field["l1d_bytes"].integer();
  cpu.l2_bytes = field["l2_bytes"].integer();
  cpu.l3_bytes = field["l3_bytes"].integer();
  return cpu;
}

GpuInfo gpu_from(const Field& field) {
  GpuInfo gpu;
  gpu.uuid = field["uuid"].text();
  gpu.compute_major = field["compute_major"].small();
  gpu.compute_minor = field["compute_minor"].small();
  gpu.sm_count = field["sm_count"].small();
  gpu.sm_clock_khz = field["sm_clock_khz"].small();
  gpu.memory_clock_khz = field["memory_clock_khz"].small();
  gpu.memory_bus_bits = field["memory_bus_bits"].small();
  gpu.memory_bytes = field["memory_bytes"].integer();
  gpu.l2_bytes = field["l2_bytes"].integer();
  gpu.shared_per_block_bytes = field["shared_per_block_bytes"].integer();
  gpu.shared_per_sm_bytes = field["shared_per_sm_bytes"].integer();
  gpu.driver_version = field["driver_version"].small();
  gpu.runtime_version = field["runtime_version"].small();
  return gpu;
}

DeviceInfo device_from(const Field& field) {
  DeviceInfo device;
  const std::string backend = field["backend"].text();
  bool known = false;
  for (const Backend each : {Backend::kCpu, Backend::kCuda, Backend::kSim}) {
    if (backend != name_of(each)) continue;
    device.backend = each;
    known = true;
  }
  if (!known) field["backend"].refuse("must be cpu, cuda or sim, not '" + backend + "'");
  device.index = field["index"].small();
  device.name = field["name"].text();
  device.cpu = cpu_from(field["cpu"]);
  if (device.backend != Backend::kCpu) device.gpu = gpu_from(field["gpu"]);
  return device;
}

Call call_from(const Field& field) {
  Call call;
  call.provenance.command_line = field["command_line"].text();
  call.provenance.git_commit = field["git_commit"].text();
  call.provenance.git_dirty = field["git_dirty"].truth();
  call.provenance.date_utc = field["date_utc"].text();
  call.provenance.host_cpu = field["host_cpu"].text();
  call.provenance.host_os = field["host_os"].text();
  call.provenance.compiler = field["compiler"].text();
  call.warmup_ms = field["warmup_ms"].small();
  call.rounds = field["rounds"].small();
  call.samples_per_round = field["samples_per_round"].small();
  return call;
}

RunFile run_from(const Field& field) {
  RunFile run;
  const std::int64_t version = field["schema_version"].integer();
  if (version != kSchemaVersion) {
    field["schema_version"].refuse(
        fmt::format("is {}; this tool reads version {}", version, kSchemaVersion));
  }
  field["calls"].each([&](const Field& call) { run.calls.push_back(call_from(call)); });
  if (run.calls.empty()) field["calls"].refuse("must hold at least one call");
  run.device = device_from(field["device"]);
  run.card = card_from(field["card"]);
  const Field widths = field["bandwidths"];
  if (!widths["read_gbs"].is_null()) run.bandwidths.read_gbs = widths["read_gbs"].number();
  if (!widths["copy_gbs"].is_null()) run.bandwidths.copy_gbs = widths["copy_gbs"].number();
  field["warnings"].each([&](const Field& text) { run.warnings.push_back(text.text()); });
  field["cells"].each([&](const Field& cell) {
    run.cells.push_back(cell_from(cell));
    const int call = run.cells.back().call;
    if (call < 0 || static_cast<std::size_t>(call) >= run.calls.size()) {
      cell["call"].refuse("names no call of this file");
    }
  });
  return run;
}

}  // namespace

Result<RunFile> run_from_json(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line ..."
    const std::size_t tag = what.find("] ");
    return Status::invalid("not JSON: " + (tag == std::string::npos ? what : what.substr(tag + 2)));
  }
  try {
    return run_from(Field(json, ""));
  } catch (const Malformed& malformed) {
    return Status::invalid(malformed.sentence);
  }
}

Result<RunFile> read_run(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // Nothing to copy is no failure of the stream, but reads like one.
  const bool empty = file && file.peek() == EOF && !std::filesystem::is_directory(path);
  if (!empty && (!file || !(text << file.rdbuf()))) {
    return Status::invalid(
        fmt::format("'{}' cannot be read: {}", path, std::strerror(errno ? errno : EISDIR)));
  }
  Result<RunFile> run = run_from_json(text.str());
  if (run) return run;
  return Status::invalid(
      fmt::format("'{}' is not a result file: {}", path, run.status().message()));
}

}  // namespace tilewright::measure
