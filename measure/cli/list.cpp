#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "measure/cli/commands.h"
#include "measure/cli/ids.h"
#include "measure/peers/implementation.h"

namespace tilewright::measure::cli {
namespace {

std::string range_of(const KernelInfo& kernel) {
  if (kernel.backend == Backend::kCpu) return "-";
  const auto version = [](int capability) {
    return fmt::format("{}.{}", capability / 10, capability % 10);
  };
  if (kernel.min_compute_capability == kernel.max_compute_capability) {
    return version(kernel.min_compute_capability);
  }
  return fmt::format("{}..{}", version(kernel.min_compute_capability),
                     version(kernel.max_compute_capability));
}

void add_kernels(Table& table, const Result<DeviceInfo>& gpu) {
  for (const KernelInfo& kernel : list_gemm()) {
    std::string state = "available", summary(kernel.summary);
    if (kernel.backend == Backend::kCuda) {
      const int capability = gpu ? gpu->compute_capability() : 0;
      if (!gpu) {
        state = "no device";
      } else if (capability < kernel.min_compute_capability ||
                 capability > kernel.max_compute_capability) {
        state = "other card";
      }
    }
    table.rows.push_back({text_value(std::string(kernel.name)),
                          text_value(kernel.is_reference ? "reference" : "kernel"),
                          text_value(std::string(name_of(kernel.backend))),
                          text_value(range_of(kernel)), text_value(state), text_value(summary)});
  }
}

void add_peers(Table& table, Backend backend, const Result<DeviceInfo>& device) {
  for (const std::string& id : known_ids(backend)) {
    if (is_ours(id)) continue;
    std::string state = "missing", note;
    if (!device) {
      note = device.status().message();
    } else if (const auto peer = make_implementation(id, *device); !peer) {
      note = peer.status().message();
    } else if (note = (*peer)->missing(); note.empty()) {
      const Provenance from = (*peer)->provenance();
      state = "available";
      note = fmt::format("{}{}{}", from.version, from.path.empty() ? "" : ", " + from.path,
                         from.policy.empty() ? "" : ", " + from.policy);
    }
    table.rows.push_back({text_value(id), text_value("peer"),
                          text_value(std::string(name_of(backend))), text_value("-"),
                          text_value(state), text_value(note)});
  }
}

struct Words {
  std::string op, format;
  std::vector<std::string> peers;
};

Exit show(const Session& session, const Words& words) {
  if (!words.op.empty()) require_op(words.op);
  load_peers(session, words.peers, {});
  const Format format = format_of(words.format);
  Table table;
  table.columns = {{"id", "id"},           {"kind", "kind"},
                   {"backend", "backend"}, {"compute", "compute_capability"},
                   {"state", "state"},     {"what it is", "summary"}};
  const Result<DeviceInfo> gpu = cuda_device();
  add_kernels(table, gpu);
  table.rules.push_back(table.rows.size());
  add_peers(table, Backend::kCuda, gpu);
  add_peers(table, Backend::kCpu, cpu_device());
  table.notes.push_back(
      "The id tilewright stands for the kernel that the plan takes; tilewright explain gemm tells "
      "which.");
  if (!gpu) {
    table.notes.push_back(gpu.status().message());
    table.notes.push_back(
        "Kernels for cuda run without a card in the simulator: tilewright verify gemm --device "
        "sim.");
  }
  print_out(render(table, format));
  return Exit::kOk;
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("list", "Kernels and peers, those that are missing too");
  const auto words = std::make_shared<Words>();
  command->add_option("OP", words->op, "the operation: gemm (all)");
  add_peer_option(*command, words->peers);
  add_format(*command, words->format);
  command->footer("\nExample:\n  tilewright list gemm");
  command->callback(
      [&session, words] { session.work = [&session, words] { return show(session, *words); }; });
}

}  // namespace tilewright::measure::cli
