#include <fmt/format.h>

#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/device_choice.h"
#include "measure/cli/parse.h"
#include "measure/cli/problem_set.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string op, card, device, format;
  ProblemOptions problem;
};

DeviceChoice device_of(const Words& words) {
  if (words.card.empty()) return choose_device(words.device, "planning");
  Result<DeviceInfo> known = card(words.card);
  if (known) return {*known, ""};
  const std::vector<std::string_view> names = card_names();
  wrong_usage(fmt::format("--card: '{}' is not a card that is known here{}", words.card,
                          suggestion(words.card, {names.begin(), names.end()})));
}

Exit show(const Words& words) {
  require_op(words.op);
  const Format format = format_of(words.format);
  const DeviceChoice chosen = device_of(words);
  const DeviceInfo& device = chosen.device;
  const GemmProblem problem =
      words.problem.single(default_type(device), ProblemOptions::Zero::kAccepted);
  const Status planned = plan_gemm(problem, device).status();
  if (planned.code() == StatusCode::kInvalidArgument) require(planned);

  tell(chosen);
  Table table;
  table.columns = {{"kernel", "kernel"}, {"verdict", "verdict"}, {"why", "reason"}};
  std::string taken;
  for (const Rejection& row : explain_gemm(problem, device)) {
    if (row.reason.empty()) taken = row.kernel;
    table.rows.push_back({text_value(row.kernel),
                          text_value(row.reason.empty() ? "taken" : "refused"),
                          row.reason.empty() ? Value{} : text_value(row.reason)});
  }
  table.notes.push_back(fmt::format("gemm {} on {}: {}", label_of(problem), device.name,
                                    taken.empty() ? planned.message() : taken + " is taken."));
  print_out(render(table, format));
  return taken.empty() ? Exit::kFailure : Exit::kOk;
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("explain", "Which kernel a problem gets, and why not the others");
  const auto words = std::make_shared<Words>();
  add_op(*command, words->op);
  words->problem.add(*command);
  auto* card = command->add_option("--card", words->card, "a card by name, without having it: h200")
                   ->check(refuse_empty)
                   ->type_name("CARD");
  command->add_option("--device", words->device, kDeviceHelp)
      ->type_name("DEVICE")
      ->check(refuse_empty)
      ->excludes(card);
  add_format(*command, words->format);
  command->footer(
      "\nExample:\n  tilewright explain gemm --m 511 --n 470 --k 67 --dtype f16 --card h200");
  command->callback([&session, words] { session.work = [words] { return show(*words); }; });
}

}  // namespace tilewright::measure::cli
