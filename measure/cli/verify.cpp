#include <fmt/format.h>

#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/device_choice.h"
#include "measure/cli/failure.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/problem_set.h"
#include "measure/cli/sim_schedules.h"
#include "measure/protocol/compare.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string op, device, only, format, alpha = "1", beta = "0", seed = "1";
  SimScheduleOptions schedules;
  ProblemSetOptions problems;
};

struct Asked {
  float alpha, beta;
  std::uint64_t seed;
};

Asked parse_asked(const Words& words) {
  constexpr double kMost = 1e6;
  return {static_cast<float>(parse_real("--alpha", words.alpha, -kMost, kMost)),
          static_cast<float>(parse_real("--beta", words.beta, -kMost, kMost)),
          static_cast<std::uint64_t>(parse_integer("--seed", words.seed, {}))};
}

// The plan's choice and every kernel of ours that is not an oracle itself.
std::vector<std::string> our_ids(Backend backend) {
  std::vector<std::string> ids = {"tilewright"};
  for (const KernelInfo& kernel : list_gemm()) {
    const bool runs =
        kernel.backend == backend || (kernel.backend == Backend::kCuda && backend == Backend::kSim);
    if (runs && !kernel.is_reference) ids.emplace_back(kernel.name);
  }
  return ids;
}

std::vector<Value> row_of(const std::string& label, const std::string& id,
                          const DeviceInfo& device, const Result<CheckRecord>& record) {
  std::vector<Value> row = {text_value(label), text_value(id), text_value(device.name)};
  if (!record) {
    const bool refused = record.status().code() == StatusCode::kUnsupported;
    row.push_back(text_value(refused ? "unsupported" : "FAILED"));
    row.resize(9);
    row.back() = text_value(record.status().message());
    return row;
  }
  row.push_back(text_value(record->passed ? "ok" : "FAILED"));
  row.push_back(integer_value(record->elements));
  row.push_back({fmt::format("{:.2e}", record->relative_l2), record->relative_l2});
  row.push_back({fmt::format("{:.2e}", record->max_error), record->max_error});
  row.push_back(number_value(record->max_error_over_bound, 3));
  row.push_back(record->failure.empty() ? Value{} : text_value(record->failure));
  return row;
}

// On a card once; in the simulator under every schedule, up to the first that fails.
struct Verdict {
  Result<CheckRecord> record;
  DeviceInfo on;
};
Verdict verify_everywhere(const std::string& id, const GemmProblem& problem,
                          const std::vector<DeviceInfo>& devices, const Asked& asked) {
  for (const DeviceInfo& device : devices) {
    Result<CheckRecord> record = verify(id, problem, device, asked.seed, asked.alpha, asked.beta);
    const bool last = &device == &devices.back();
    if (last || !record || !record->passed) return {std::move(record), device};
  }
  return {Status::invalid("no schedule"), {}};
}

// C counts only with beta, which a plan does not know; so it is this command's to refuse.
void refuse_short_c(const GemmProblem& problem) {
  const std::int64_t line = problem.c.order == Order::kRowMajor ? problem.n : problem.m;
  if (problem.c.ld >= line) return;
  wrong_usage(
      fmt::format("--ldc: {} is too small for a line of {} elements of C; {} or more is accepted",
                  problem.c.ld, line, line));
}

Exit work(const Words& words, const Session& session) {
  require_op(words.op);
  const Format format = format_of(words.format);
  const Asked asked = parse_asked(words);
  const DeviceChoice chosen = choose_device(words.device, "verifying");
  const DeviceInfo& device = chosen.device;
  const std::vector<DeviceInfo> devices = words.schedules.devices(device);
  std::vector<std::string> only;
  if (!words.only.empty()) only = resolve_ids("--only", split_list("--only", words.only), device);
  const std::vector<Group> groups =
      words.problems.groups(device, only, our_ids(device.backend), ProblemOptions::Zero::kAccepted);
  for (const Group& group : groups) {
    for (const GemmProblem& problem : group.problems) {
      if (asked.beta != 0) refuse_short_c(problem);
    }
  }
  tell(chosen);
  Table table;
  table.columns = {{"problem", "problem"},
                   {"implementation", "implementation"},
                   {"ran on", "device"},
                   {"verdict", "verdict"},
                   {"elements", "elements", true},
                   {"relative L2", "relative_l2", true},
                   {"max error", "max_error", true},
                   {"error/bound", "error_over_bound", true},
                   {"reason", "reason"}};
  std::size_t passed = 0, failed = 0;
  for (const Group& group : groups) {
    for (const GemmProblem& problem : group.problems) {
      if (!table.rows.empty()) table.rules.push_back(table.rows.size());
      for (const std::string& id : group.ids) {
        const auto [record, on] = verify_everywhere(id, problem, devices, asked);
        const bool refused = !record && record.status().code() == StatusCode::kUnsupported;
        if (record && record->passed) ++passed;
        if (!refused && !(record && record->passed)) {
          ++failed;
          if (device.backend == Backend::kSim) {
            table.notes.push_back("Replay: " + replay_line(session.command, id, problem, on.sim));
          }
        }
        table.rows.push_back(row_of(label_of(problem), id, device, record));
      }
    }
  }
  table.notes.push_back(fmt::format("{}: {} passed, {} failed, {} do not take the problem.",
                                    device.name, passed, failed,
                                    table.rows.size() - passed - failed));
  if (device.backend == Backend::kSim) table.notes.push_back(words.schedules.describe());
  print_out(render(table, format));
  return failed == 0 && passed > 0 ? Exit::kOk : Exit::kFailure;
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("verify", "Checks results against the reference, untimed");
  const auto words = std::make_shared<Words>();
  add_op(*command, words->op);
  command->add_option("--device", words->device, kDeviceHelp)
      ->type_name("DEVICE")
      ->check(refuse_empty);
  command->add_option("--only", words->only, "implementations (tilewright and its kernels)")
      ->check(refuse_empty)
      ->type_name("ID,ID");
  words->problems.add(*command);
  command->add_option("--alpha", words->alpha, "scales the product (1)")->type_name("X");
  command->add_option("--beta", words->beta, "scales C (0)")->type_name("X");
  command->add_option("--seed", words->seed, "of the operands' fill (1)")->type_name("N");
  words->schedules.add(*command);
  add_format(*command, words->format);
  command->footer(
      "\nExamples:\n  tilewright verify gemm --m 511 --n 470 --k 67 --dtype f16 --beta 0.5\n"
      "  tilewright verify gemm --device sim --m 130 --n 72 --k 200 --sim-seeds 8");
  command->callback(
      [&session, words] { session.work = [&session, words] { return work(*words, session); }; });
}

}  // namespace tilewright::measure::cli
