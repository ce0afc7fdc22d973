// tilewright conformance: the simulator held against a card, or against itself.
#include "tilewright/conformance.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "measure/cli/commands.h"
#include "measure/cli/device_choice.h"
#include "measure/cli/parse.h"
#include "measure/record/write_file.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string device, card, only, seed = "1", out, format;
};

struct Compared {
  ConformanceCase of;
  std::vector<std::uint32_t> words;  // of the device
  ConformanceDifference difference;
};

// What stands for the other side: on a card the simulator; in the simulator the same with copies
// that land at once and another order of threads.
DeviceInfo other_side(const DeviceInfo& device) {
  DeviceInfo other = device;
  other.backend = Backend::kSim;
  other.sim.seed = 101;
  other.sim.copies = device.backend == Backend::kSim ? SimCopies::kEarly : SimCopies::kRandom;
  return other;
}

Compared compare(const ConformanceCase& of, const DeviceInfo& device, std::uint64_t seed) {
  Compared result{of, {}, {}};
  const auto one = run_conformance_case(of.id, device, seed);
  const auto other = run_conformance_case(of.id, other_side(device), seed);
  if (!one || !other) {
    result.difference.failure = (!one ? one : other).status().message();
    return result;
  }
  result.words = *one;
  result.difference = compare_conformance(of, *one, *other);
  return result;
}

nlohmann::ordered_json to_json(const Compared& c) {
  nlohmann::ordered_json json = {{"id", c.of.id},
                                 {"functions", c.of.functions},
                                 {"compared", c.of.bound == 0 ? "bits" : "within bound"},
                                 {"words", c.words.size()},
                                 {"words_that_differ", c.difference.words},
                                 {"passed", c.difference.passed}};
  if (!c.difference.failure.empty()) json["failure"] = c.difference.failure;
  if (c.of.bound == 0) {
    json["digest"] = fmt::format("{:016x}", conformance_digest(c.words));
  } else {
    json["bound"] = c.of.bound;
    json["largest_difference"] = c.difference.largest;
    json["output"] = c.words;
  }
  return json;
}

void write(const std::string& path, const DeviceInfo& device, std::uint64_t seed,
           const std::vector<Compared>& compared, const Session& session) {
  const RunProvenance from = provenance_of(session.command, session.built, device);
  nlohmann::ordered_json json = {
      {"schema", "tilewright-conformance-1"},
      {"device", device.name},
      {"backend", name_of(device.backend)},
      {"compute_capability", device.compute_capability()},
      {"driver_version", device.gpu.driver_version},
      {"runtime_version", device.gpu.runtime_version},
      {"against", device.backend == Backend::kSim ? "the simulator, copies early"
                                                  : "the simulator on this host"},
      {"git_commit", from.git_commit},
      {"git_dirty", from.git_dirty},
      {"date", from.date_utc},
      {"input_seed", seed},
      {"cases", nlohmann::ordered_json::array()}};
  for (const Compared& each : compared) json["cases"].push_back(to_json(each));
  require(write_whole_file(path, json.dump(1) + "\n"));
}

Table table_of(const std::vector<Compared>& compared) {
  Table table;
  table.columns = {{"case", "id"},
                   {"compared", "compared"},
                   {"words", "words", true},
                   {"differ", "words_that_differ", true},
                   {"of bound", "largest_over_bound", true},
                   {"verdict", "verdict"},
                   {"reason", "reason"}};
  for (const Compared& each : compared) {
    const ConformanceDifference& d = each.difference;
    table.rows.push_back(
        {text_value(each.of.id), text_value(each.of.bound == 0 ? "bits" : "within bound"),
         integer_value(static_cast<std::int64_t>(each.words.size())), integer_value(d.words),
         each.of.bound == 0 ? Value{} : number_value(d.largest / each.of.bound, 3),
         text_value(d.passed ? "ok" : "FAILED"),
         d.failure.empty() ? Value{} : text_value(d.failure)});
  }
  return table;
}

Exit work(const Words& words, const Session& session) {
  const auto seed = static_cast<std::uint64_t>(parse_integer("--seed", words.seed, {}));
  const Format format = format_of(words.format);
  const DeviceChoice chosen = choose_simulated(words.device, "conformance");
  const DeviceInfo& device = chosen.device;
  if (device.backend == Backend::kCpu) {
    wrong_usage("--device: cpu has no device functions to compare; cuda and sim are accepted");
  }
  if (!words.out.empty()) require(check_writable(words.out));
  std::vector<Compared> compared;
  std::size_t failed = 0;
  for (const ConformanceCase& each : conformance_cases(device)) {
    if (!words.only.empty() && each.id.find(words.only) == std::string::npos) continue;
    compared.push_back(compare(each, device, seed));
    failed += compared.back().difference.passed ? 0 : 1;
  }
  if (compared.empty()) {
    wrong_usage(fmt::format("--only: no case of {} has '{}' in its name", device.name, words.only));
  }
  tell(chosen);
  if (!words.out.empty()) write(words.out, device, seed, compared, session);
  Table table = table_of(compared);
  table.notes.push_back(fmt::format(
      "{} against {}: {} cases, {} failed.", device.name,
      device.backend == Backend::kSim ? "itself with copies that land at once" : "the simulator",
      compared.size(), failed));
  print_out(render(table, format));
  return failed == 0 ? Exit::kOk : Exit::kFailure;
}

}  // namespace

void add_conformance(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand(
      "conformance", "Every device function on a card and in the simulator, compared");
  const auto words = std::make_shared<Words>();
  command
      ->add_option(
          "--device", words->device,
          "cuda, cuda:INDEX, sim or sim:CARD; without it the GPU if there is one, else sim")
      ->type_name("DEVICE")
      ->check(refuse_empty);
  command->add_option("--only", words->only, "cases with this in their name (all)")
      ->type_name("TEXT")
      ->check(refuse_empty);
  command->add_option("--seed", words->seed, "of the inputs (1)")->type_name("N");
  command->add_option("--out", words->out, "writes what was compared to a JSON file")
      ->type_name("FILE")
      ->check(refuse_empty);
  add_format(*command, words->format);
  command->footer("\nExample:\n  tilewright conformance --device sim --only wgmma.f16.n64");
  command->callback(
      [&session, words] { session.work = [&session, words] { return work(*words, session); }; });
}

}  // namespace tilewright::measure::cli
