#include <fmt/format.h>

#include <cmath>

#include "measure/record/json.h"
#include "measure/record/json_field.h"
#include "measure/record/json_state.h"

namespace tilewright::measure {
namespace {

Json operand_to_json(const Operand& operand) {
  return {{"type", name_of(operand.type)},
          {"order", operand.order == Order::kRowMajor ? "row" : "col"},
          {"ld", operand.ld},
          {"batch_stride", operand.batch_stride},
          {"alignment_bytes", operand.alignment_bytes}};
}

}  // namespace

Json problem_to_json(const GemmProblem& problem) {
  return {{"m", problem.m},
          {"n", problem.n},
          {"k", problem.k},
          {"batch", problem.batch},
          {"a", operand_to_json(problem.a)},
          {"b", operand_to_json(problem.b)},
          {"c", operand_to_json(problem.c)},
          {"d", operand_to_json(problem.d)}};
}

namespace {

Json check_to_json(const CheckRecord& check) {
  return {{"passed", check.passed},
          {"elements", check.elements},
          {"reference", check.reference},
          {"relative_l2", finite_or_null(check.relative_l2)},
          {"max_error", finite_or_null(check.max_error)},
          {"max_error_over_bound", finite_or_null(check.max_error_over_bound)},
          {"alarms", check.alarms},
          {"failure", check.failure}};
}

Json entry_to_json(const Entry& entry) {
  Json json = {{"id", entry.id},
               {"status", entry.status},
               {"reason", entry.reason},
               {"kernel", entry.kernel},
               {"version", entry.version},
               {"path", entry.path},
               {"policy", entry.policy},
               {"padding", entry.padding},
               {"workspace_limit_bytes", entry.workspace_limit_bytes},
               {"persisting_l2_bytes", entry.persisting_l2_bytes},
               {"check_before", check_to_json(entry.check_before)},
               {"check_after", check_to_json(entry.check_after)}};
  // What was not timed has no figures: null, never 0.
  if (entry.status != "ok") {
    for (const char* key : kTimedKeys) json[key] = nullptr;
    return json;
  }
  json["launches_per_sample"] = entry.launches_per_sample;
  json["rounds_ns"] = entry.rounds_ns;
  json["round_medians_ns"] = entry.round_medians_ns;
  json["time_ns"] = finite_or_null(entry.time_ns);
  json["fastest_ns"] = finite_or_null(entry.fastest_ns);
  json["slowest_ns"] = finite_or_null(entry.slowest_ns);
  json["tflops"] = finite_or_null(entry.tflops);
  json["settled_mhz"] = or_null(entry.settled_mhz);
  json["flags"] = entry.flags;
  json["facts"] = facts_to_json(entry.facts);
  json["turns"] = turns_to_json(entry.turns);
  json["energy"] = energy_to_json(entry);
  json["triple"] = triple_to_json(entry.triple);
  json["counters"] = counters_to_json(entry.counters);
  return json;
}

Json cell_to_json(const Cell& cell) {
  Json json = {{"op", cell.op},
               {"problem", problem_to_json(cell.problem)},
               {"device_uuid", cell.device_uuid},
               {"regime", cell.regime},
               {"timer", cell.timer},
               {"test", cell.test},
               {"cache", cell.cache},
               {"flush", cell.flush},
               {"cold", cell.is_cold()},
               {"fill", cell.fill},
               {"fill_entropy_bits", or_null(cell.fill_entropy_bits)},
               {"seed", cell.seed},
               {"footprint_bytes", cell.footprint_bytes},
               {"sets", cell.sets},
               {"cache_bytes", cell.cache_bytes},
               {"reuse_distance_over_cache", finite_or_null(cell.reuse_distance_over_cache)},
               {"notes", cell.notes},
               {"call", cell.call},
               {"order", cell.order},
               {"against", cell.against},
               {"stopped", cell.stopped},
               {"warm_up", warm_up_to_json(cell.warm_up)},
               {"clock_overhead_ns", or_null(cell.clock_overhead_ns)},
               {"read_floor_ns", or_null(cell.read_floor_ns)},
               {"trace", readings_to_json(cell.trace)},
               {"entries", Json::array()}};
  for (const Entry& entry : cell.entries) json["entries"].push_back(entry_to_json(entry));
  return json;
}

Json call_to_json(const Call& call) {
  const RunProvenance& from = call.provenance;
  return {{"command_line", from.command_line},
          {"git_commit", from.git_commit},
          {"git_dirty", from.git_dirty},
          {"date_utc", from.date_utc},
          {"host_cpu", from.host_cpu},
          {"host_os", from.host_os},
          {"compiler", from.compiler},
          {"warmup_ms", call.warmup_ms},
          {"rounds", call.rounds},
          {"samples_per_round", call.samples_per_round}};
}

void lay_out(const Json& json, std::size_t depth, std::string& out) {
  const auto scalar = [](const Json& item) { return !item.is_structured(); };
  if (scalar(json) || json.empty() ||
      (json.is_array() && std::all_of(json.begin(), json.end(), scalar))) {
    // A name that is not UTF-8 (a path, a driver's message) must not lose the run: it is replaced.
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out += json.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& item : json.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(depth + 1, ' ');
    if (json.is_object()) {
      out += Json(item.key()).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    }
    lay_out(item.value(), depth + 1, out);
  }
  out += "\n";
  out.append(depth, ' ');
  out += json.is_array() ? "]" : "}";
}

}  // namespace

Json device_to_json(const DeviceInfo& device) {
  const CpuInfo& cpu = device.cpu;
  const GpuInfo& gpu = device.gpu;
  Json json = {{"backend", name_of(device.backend)},
               {"index", device.index},
               {"name", device.name},
               {"cpu",
                {{"model", cpu.model},
                 {"cores", cpu.cores},
                 {"isa", kIsaNames[static_cast<std::size_t>(cpu.isa)]},
                 {"avx512_bf16", cpu.avx512_bf16},
                 {"avx512_fp16", cpu.avx512_fp16},
                 {"amx_bf16", cpu.amx_bf16},
                 {"amx_int8", cpu.amx_int8},
                 {"l1d_bytes", cpu.l1d_bytes},
                 {"l2_bytes", cpu.l2_bytes},
                 {"l3_bytes", cpu.l3_bytes}}},
               {"gpu", nullptr}};
  if (device.backend == Backend::kCpu) return json;
  json["gpu"] = {{"uuid", gpu.uuid},
                 {"compute_major", gpu.compute_major},
                 {"compute_minor", gpu.compute_minor},
                 {"sm_count", gpu.sm_count},
                 {"sm_clock_khz", gpu.sm_clock_khz},
                 {"memory_clock_khz", gpu.memory_clock_khz},
                 {"memory_bus_bits", gpu.memory_bus_bits},
                 {"memory_bytes", gpu.memory_bytes},
                 {"l2_bytes", gpu.l2_bytes},
                 {"shared_per_block_bytes", gpu.shared_per_block_bytes},
                 {"shared_per_sm_bytes", gpu.shared_per_sm_bytes},
                 {"driver_version", gpu.driver_version},
                 {"runtime_version", gpu.runtime_version}};
  return json;
}

Json to_json(const RunFile& run) {
  Json json = {{"schema_version", run.schema_version},
               {"calls", Json::array()},
               {"device", device_to_json(run.device)},
               {"card", card_to_json(run.card)},
               {"bandwidths",
                {{"read_gbs", run.bandwidths.read_gbs > 0 ? Json(run.bandwidths.read_gbs) : nullptr},
                 {"copy_gbs",
                  run.bandwidths.copy_gbs > 0 ? Json(run.bandwidths.copy_gbs) : nullptr}}},
               {"warnings", run.warnings},
               {"cells", Json::array()}};
  for (const Call& call : run.calls) json["calls"].push_back(call_to_json(call));
  for (const Cell& cell : run.cells) json["cells"].push_back(cell_to_json(cell));
  return json;
}

std::string layout_json(const Json& json) {
  std::string out;
  lay_out(json, 0, out);
  return out + "\n";
}

}  // namespace tilewright::measure
