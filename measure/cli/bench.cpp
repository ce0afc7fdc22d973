#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/comparison.h"
#include "measure/cli/cpu_set.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/protocol_options.h"

namespace tilewright::measure::cli {
namespace {

struct Words {
  std::string op, device, kernel, cpus;
  bool verify = false;
  std::vector<std::string> peers;
  ProblemSetOptions problems;
  ProtocolOptions protocol;
  OutputWords output;
};

// A kernel id names its device: gemm-cuda-... needs the GPU, whatever this machine has.
std::string device_words(const Words& words) {
  if (!words.device.empty()) return words.device;
  std::string found;
  for (const KernelInfo& kernel : list_gemm()) {
    if (find_id("--kernel", words.kernel, {std::string(kernel.name)}).empty()) continue;
    if (!found.empty() && found != name_of(kernel.backend)) return "";  // a short id of both
    found = name_of(kernel.backend);
  }
  return found;
}

Exit work(const Session& session, const Words& words) {
  require_op(words.op);
  keep_to_cpus(words.cpus);
  load_peers(session, words.peers, {words.kernel});
  Comparison comparison;
  comparison.chosen = choose_device(device_words(words), "timing");
  const DeviceInfo& device = comparison.chosen.device;
  comparison.passes = words.protocol.passes(device.backend, words.verify);
  const std::vector<std::string> ids = resolve_ids("--kernel", {words.kernel}, device);
  comparison.groups = words.problems.groups(device, ids, ids, ProblemOptions::Zero::kRefused);
  return run_comparison(session, comparison, words.output);
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("bench", "Times one implementation");
  const auto words = std::make_shared<Words>();
  add_op(*command, words->op);
  command->add_option("--kernel", words->kernel, "its id, as tilewright list tells")
      ->type_name("ID")
      ->required();
  command->add_flag("--verify", words->verify,
                    "against the reference, before and after the timing");
  command->add_option("--device", words->device, kTimedDeviceHelp)
      ->type_name("DEVICE")
      ->check(refuse_empty);
  add_peer_option(*command, words->peers);
  add_output(*command, words->output);
  words->problems.add(*command);
  words->protocol.add(*command);
  add_cpus_option(*command, words->cpus);
  command->footer(
      "\nExamples:\n  tilewright bench gemm --kernel gemm-cuda-ladder-v4 --m 4096 --n 4096 --k 64 "
      "--layout nn --verify\n  tilewright bench gemm --kernel gemm-cpu-simd-packed --m 512 --n 512 "
      "--k 512 --dtype "
      "f32 --device cpu");
  command->callback(
      [&session, words] { session.work = [&session, words] { return work(session, *words); }; });
}

}  // namespace tilewright::measure::cli
