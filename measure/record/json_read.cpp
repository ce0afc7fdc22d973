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

Entry entry_from(const Field& field, const GemmProblem& problem) {
  Entry entry;
  entry.id = field["id"].text();
  entry.status = field["status"].text();
  entry.reason = field["reason"].text();
  entry.kernel = field["kernel"].text();
  entry.version = field["version"].text();
  entry.path = field["path"].text();
  entry.policy = field["policy"].text();
  entry.workspace_limit_bytes = field["workspace_limit_bytes"].integer();
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
    return entry;
  }
  constexpr std::array kUntimed = {"missing", "unsupported", "failed"};
  if (std::find(kUntimed.begin(), kUntimed.end(), entry.status) == kUntimed.end()) {
    field["status"].refuse("must be ok, missing, unsupported or failed, not '" + entry.status +
                           "'");
  }
  if (entry.reason.empty()) field["reason"].refuse("must say why there is no time");
  for (const char* key : {"launches_per_sample", "rounds_ns", "round_medians_ns", "time_ns",
                          "fastest_ns", "slowest_ns", "tflops"}) {
    if (!field[key].is_null()) field[key].refuse("must be null where the status is not ok");
  }
  return entry;
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
  cell.fill = field["fill"].text();
  cell.seed = field["seed"].unsigned_integer();
  cell.footprint_bytes = field["footprint_bytes"].integer();
  cell.sets = field["sets"].integer();
  cell.cache_bytes = field["cache_bytes"].integer();
  cell.reuse_distance_over_cache = field["reuse_distance_over_cache"].number_or_nan();
  field["notes"].each([&](const Field& note) { cell.notes.push_back(note.text()); });
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

RunFile run_from(const Field& field) {
  RunFile run;
  const std::int64_t version = field["schema_version"].integer();
  if (version != kSchemaVersion) {
    field["schema_version"].refuse(
        fmt::format("is {}; this tool reads version {}", version, kSchemaVersion));
  }
  const Field from = field["provenance"];
  run.provenance.command_line = from["command_line"].text();
  run.provenance.git_commit = from["git_commit"].text();
  run.provenance.git_dirty = from["git_dirty"].truth();
  run.provenance.date_utc = from["date_utc"].text();
  run.provenance.host_cpu = from["host_cpu"].text();
  run.provenance.host_os = from["host_os"].text();
  run.provenance.compiler = from["compiler"].text();
  run.device = device_from(field["device"]);
  run.warmup_ms = field["warmup_ms"].small();
  run.rounds = field["rounds"].small();
  run.samples_per_round = field["samples_per_round"].small();
  field["warnings"].each([&](const Field& text) { run.warnings.push_back(text.text()); });
  field["cells"].each([&](const Field& cell) { run.cells.push_back(cell_from(cell)); });
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
