#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/comparison.h"
#include "measure/cli/cpu_set.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/protocol_options.h"
#include "measure/peers/implementation.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string op, device, only, cpus;
  bool no_verify = false, again = false;
  std::vector<std::string> peers;
  ProblemSetOptions problems;
  ProtocolOptions protocol;
  OutputWords output;
};

Exit work(const Session& session, const Words& words) {
  require_op(words.op);
  keep_to_cpus(words.cpus);
  const std::vector<std::string> named =
      words.only.empty() ? std::vector<std::string>{} : split_list("--only", words.only);
  load_peers(session, words.peers, named);
  Comparison comparison;
  comparison.chosen = choose_device(words.device, "comparing");
  const DeviceInfo& device = comparison.chosen.device;
  comparison.passes = words.protocol.passes(device.backend, !words.no_verify);
  const std::vector<std::string> only = resolve_ids("--only", named, device);
  comparison.groups = words.problems.groups(device, only, default_ids(device.backend),
                                            ProblemOptions::Zero::kRefused);
  if (words.again) {
    for (CompareGroup& group : comparison.groups) {
      group.ids.push_back(group.ids.front() + std::string(kAgain));
    }
  }
  return run_comparison(session, comparison, words.output);
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("compare", "Times implementations side by side, verified first");
  const auto words = std::make_shared<Words>();
  add_op(*command, words->op);
  command->add_option("--device", words->device, kTimedDeviceHelp)
      ->type_name("DEVICE")
      ->check(refuse_empty);
  command->add_option("--only", words->only, "implementations (tilewright and every peer)")
      ->check(refuse_empty)
      ->type_name("ID,ID");
  add_peer_option(*command, words->peers);
  add_output(*command, words->output);
  words->problems.add(*command);
  words->protocol.add(*command);
  add_cpus_option(*command, words->cpus);
  command
      ->add_flag("--aa", words->again, "an A/A control: the first implementation takes part twice")
      ->group("Protocol");
  command->add_flag("--no-verify", words->no_verify, "time without verifying; the file says so")
      ->group("Protocol");
  command->footer(
      "\nExamples:\n  tilewright compare gemm\n"
      "  tilewright compare gemm --sizes 512,1024 --dtype f32 --device cpu --out cpu.json\n"
      "  tilewright compare gemm --suite benchmarks/suites/ladder.toml --out ladder.json");
  command->callback(
      [&session, words] { session.work = [&session, words] { return work(session, *words); }; });
}

}  // namespace tilewright::measure::cli
