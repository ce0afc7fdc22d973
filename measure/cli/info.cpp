#include <fmt/format.h>

#include <memory>

#include "measure/cli/commands.h"
#include "measure/record/json.h"
#include "tilewright/device.h"

namespace tilewright::measure::cli {
namespace {

constexpr std::array<std::string_view, 3> kIsa = {"baseline x86-64", "AVX2", "AVX-512"};

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Table cpu_and_gpu(const DeviceInfo& cpu, const Result<DeviceInfo>& gpu) {
  Table table;
  table.columns = {{"what", "what"}, {"value", "value"}};
  const auto row = [&](const char* what, std::string value) {
    table.rows.push_back({text_value(what), text_value(std::move(value))});
  };
  row("CPU", cpu.cpu.model);
  row("usable cores", std::to_string(cpu.cpu.cores));
  row("vectors", std::string(kIsa[static_cast<std::size_t>(cpu.cpu.isa)]));
  row("caches", fmt::format("L1d {} KiB, L2 {} KiB, L3 {} KiB", cpu.cpu.l1d_bytes >> 10,
                            cpu.cpu.l2_bytes >> 10, cpu.cpu.l3_bytes >> 10));
  if (!gpu) {
    row("GPU", "none: " + gpu.status().message());
    return table;
  }
  const GpuInfo& g = gpu->gpu;
  row("GPU", fmt::format("{} ({})", gpu->name, g.uuid));
  row("compute capability", fmt::format("{}.{}", g.compute_major, g.compute_minor));
  row("SMs", fmt::format("{} at up to {} MHz", g.sm_count, g.sm_clock_khz / 1000));
  row("memory", fmt::format("{} MiB, {} bits at {} MHz", g.memory_bytes >> 20, g.memory_bus_bits,
                            g.memory_clock_khz / 1000));
  row("L2", fmt::format("{} MiB", g.l2_bytes >> 20));
  row("CUDA", fmt::format("driver for {}, runtime {}", cuda_version(g.driver_version),
                          cuda_version(g.runtime_version)));
  return table;
}

Exit show(const Session& session, Format format) {
  const DeviceInfo cpu = cpu_device();
  const Result<DeviceInfo> gpu = cuda_device();
  const BuiltFrom from = resolve_commit(session.built);
  const std::string commit = from.commit.empty() ? "unknown" : from.commit;
  if (format == Format::kJson) {
    print_out(layout_json({{"version", version()},
                           {"git_commit", commit},
                           {"git_dirty", from.dirty},
                           {"cpu", device_to_json(cpu)},
                           {"gpu", gpu ? device_to_json(*gpu) : Json(nullptr)},
                           {"no_gpu_reason", gpu ? "" : gpu.status().message()}}));
    return Exit::kOk;
  }
  Table table = cpu_and_gpu(cpu, gpu);
  table.rows.insert(
      table.rows.begin(),
      {text_value("tilewright"), text_value(fmt::format("{}, commit {}{}", version(), commit,
                                                        from.dirty ? ", changed" : ""))});
  print_out(render(table, format));
  return Exit::kOk;
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("info", "What this machine has and what this tool is");
  const auto format = std::make_shared<std::string>();
  add_format(*command, *format);
  command->footer("\nExample:\n  tilewright info --format json");
  command->callback([&session, format] {
    session.work = [&session, format] { return show(session, format_of(*format)); };
  });
}

}  // namespace tilewright::measure::cli
