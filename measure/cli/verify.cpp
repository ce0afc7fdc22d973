#include <fmt/format.h>

#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/device_choice.h"
#include "measure/cli/failure.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/problem_set.h"
#include "measure/cli/python_host.h"
#include "measure/cli/sim_schedules.h"
#include "measure/protocol/compare.h"
#include "measure/record/command_line.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string op, device, only, format, alpha = "1", beta = "0", seed = "1";
  std::vector<std::string> peers;
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

// One implementation on one problem: on a card once; in the simulator under every schedule, up to
// the first that fails.
struct Verdict {
  Result<CheckRecord> record;
  DeviceInfo on;
  std::size_t runs;

  bool passed() const { return record && record->passed; }
  bool refused() const { return !record && record.status().code() == StatusCode::kUnsupported; }
};

Verdict verify_everywhere(const std::string& id, const GemmProblem& problem,
                          const std::vector<DeviceInfo>& devices, const Asked& asked) {
  for (std::size_t i = 0;; ++i) {
    const DeviceInfo& on = devices[i];
    Verdict verdict = {verify(id, problem, on, asked.seed, asked.alpha, asked.beta), on, i + 1};
    if (!verdict.passed() || i + 1 == devices.size()) return verdict;
  }
}

Table empty_table() {
  Table table;
  table.columns = {{"problem", "problem"},
                   {"implementation", "implementation"},
                   {"ran on", "device"},
                   {"verdict", "verdict"},
                   {"elements", "elements", true},
                   {"relative L2", "relative_l2", true},
                   {"max error", "max_error", true},
                   {"error/bound", "error_over_bound", true},
                   {"reason", "reason"},
                   {"schedules", "schedules", true, Readers::kPrograms},
                   {"replay", "replay", false, Readers::kPrograms}};
  return table;
}

std::vector<Value> row_of(const std::string& label, const std::string& id, const Verdict& verdict,
                          const std::string& replay) {
  std::vector<Value> row = {text_value(label), text_value(id), text_value(verdict.on.name),
                            text_value(verdict.passed()    ? "ok"
                                       : verdict.refused() ? "unsupported"
                                                           : "FAILED")};
  if (const Result<CheckRecord>& record = verdict.record; record) {
    row.push_back(integer_value(record->elements));
    row.push_back({fmt::format("{:.2e}", record->relative_l2), record->relative_l2});
    row.push_back({fmt::format("{:.2e}", record->max_error), record->max_error});
    row.push_back(number_value(record->max_error_over_bound, 3));
    row.push_back(record->failure.empty() ? Value{} : text_value(record->failure));
  } else {
    row.resize(8);
    row.push_back(text_value(record.status().message()));
  }
  const bool scheduled = verdict.on.backend == Backend::kSim && !verdict.refused();
  row.push_back(scheduled ? integer_value(static_cast<std::int64_t>(verdict.runs)) : Value{});
  row.push_back(replay.empty() ? Value{} : text_value(replay));
  return row;
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
  const std::vector<std::string> named =
      words.only.empty() ? std::vector<std::string>{} : split_list("--only", words.only);
  load_peers(session, words.peers, named);
  const Format format = format_of(words.format);
  const Asked asked = parse_asked(words);
  const DeviceChoice chosen = choose_device(words.device, "verifying");
  const DeviceInfo& device = chosen.device;
  const std::vector<DeviceInfo> devices = words.schedules.devices(device);
  const std::vector<std::string> only = resolve_ids("--only", named, device);
  const std::vector<CompareGroup> groups =
      words.problems.groups(device, only, our_ids(device.backend), ProblemOptions::Zero::kAccepted);
  for (const CompareGroup& group : groups) {
    enter_python(session, group.ids, {});
    for (const GemmProblem& problem : group.problems) {
      if (asked.beta != 0) refuse_short_c(problem);
    }
  }
  tell(chosen);
  Table table = empty_table();
  std::size_t passed = 0, failed = 0;
  for (const CompareGroup& group : groups) {
    for (const GemmProblem& problem : group.problems) {
      if (!table.rows.empty()) table.rules.push_back(table.rows.size());
      for (const std::string& id : group.ids) {
        const Verdict verdict = verify_everywhere(id, problem, devices, asked);
        std::string replay;
        if (verdict.passed()) {
          ++passed;
        } else if (!verdict.refused()) {
          ++failed;
          if (device.backend == Backend::kSim) {
            replay = replay_line(session.command, id, problem, verdict.on.sim);
            table.notes.push_back("Replay: " + replay);
          }
        }
        table.rows.push_back(row_of(label_of(problem), id, verdict, replay));
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
  add_peer_option(*command, words->peers);
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
