#include "plan/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

struct Choice {
  const GemmRow* row = nullptr;
  bool by_preset = false;
};

std::string version_of(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

std::string describe(const DeviceInfo& device) {
  return fmt::format("{} ({})", device.name, name_of(device.backend));
}

std::string describe(const GemmProblem& p) {
  const std::string batch = p.batch == 1 ? "" : fmt::format(" in a batch of {}", p.batch);
  return fmt::format("{} x {} x {}{} ({} and {} to {})", p.m, p.n, p.k, batch, name_of(p.a.type),
                     name_of(p.b.type), name_of(p.d.type));
}

// The simulator runs the CUDA kernels.
bool runs_on(const GemmRow& row, Backend backend) {
  return row.backend == backend || (row.backend == Backend::kCuda && backend == Backend::kSim);
}

const GemmRow* find(GemmRows rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &GemmRow::name);
  return found == rows.end() ? nullptr : *found;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = above[0];
    above[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = above[j];
      above[j] = std::min({replaced, above[j] + 1, above[j - 1] + 1});
    }
  }
  return above[b.size()];
}

std::string nearest_names(GemmRows rows, std::string_view name) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string_view> names;
  for (const GemmRow* row : rows) names.push_back(row->name);
  std::ranges::stable_sort(names, {}, [&](std::string_view n) { return edit_distance(n, name); });
  names.resize(std::min(names.size(), kShown));
  return fmt::format("{}", fmt::join(names, ", "));
}

Choice choose(GemmRows rows, GemmPresets presets, const GemmProblem& problem,
              const DeviceInfo& device) {
  const int compute_capability = device.backend == Backend::kCpu ? 0 : device.compute_capability();
  for (const GemmPreset& preset : presets) {
    if (!matches(preset, problem, compute_capability)) continue;
    const GemmRow* row = find(rows, preset.kernel);
    if (row != nullptr && refusal(*row, problem, device).empty()) return {row, true};
  }
  for (const GemmRow* row : rows) {
    if (!row->is_reference && refusal(*row, problem, device).empty()) return {row, false};
  }
  if (device.backend != Backend::kCpu) return {};
  for (const GemmRow* row : rows) {
    if (row->is_reference && refusal(*row, problem, device).empty()) return {row, false};
  }
  return {};
}

Status nothing_takes(GemmRows rows, const GemmProblem& problem, const DeviceInfo& device) {
  for (const GemmRow* row : rows) {
    if (!runs_on(*row, device.backend)) continue;
    if (row->is_reference && refusal(*row, problem, device).empty()) {
      return Status::unsupported(fmt::format(
          "no kernel but the oracle {} takes {} on {}; name it in PlanOptions::kernel, or "
          "ask explain_gemm why the others refuse",
          row->name, describe(problem), describe(device)));
    }
  }
  const auto first =
      std::ranges::find_if(rows, [&](const GemmRow* row) { return runs_on(*row, device.backend); });
  if (first == rows.end()) {
    return Status::unsupported(
        fmt::format("no kernel of this library runs on {}; a CPU or a CUDA "
                    "card is accepted",
                    describe(device)));
  }
  return Status::unsupported(fmt::format(
      "no kernel takes {} on {}; the first in order, {}, says: {} (explain_gemm tells of "
      "the others)",
      describe(problem), describe(device), (*first)->name, refusal(**first, problem, device)));
}

std::string reason_not_taken(const GemmRow& row, const Choice& choice, bool before_choice) {
  if (row.is_reference) {
    return row.backend == Backend::kCpu
               ? "an oracle: chosen by name, or where no other row takes the problem"
               : "an oracle: chosen only by name";
  }
  const std::string_view taken = choice.row->name;
  if (before_choice) return fmt::format("takes it too, but a preset puts {} first here", taken);
  return fmt::format("takes it too, but stands behind {} in the order", taken);
}

}  // namespace

std::string refusal(const GemmRow& row, const GemmProblem& problem, const DeviceInfo& device) {
  if (!runs_on(row, device.backend)) {
    return fmt::format("runs on {}; the device is {}",
                       row.backend == Backend::kCpu ? "the CPU" : "CUDA cards", describe(device));
  }
  if (row.backend == Backend::kCuda) {
    const int has = device.compute_capability();
    if (has < row.compute.min || has > row.compute.max) {
      const std::string upto = row.compute.min == row.compute.max
                                   ? ""
                                   : fmt::format(" to {}", version_of(row.compute.max));
      return fmt::format("needs compute capability {}{}; this card has {}",
                         version_of(row.compute.min), upto, version_of(has));
    }
  }
  return row.reject(problem, device);
}

Result<const GemmRow*> select_gemm(GemmRows rows, GemmPresets presets, const GemmProblem& problem,
                                   const DeviceInfo& device, std::string_view kernel) {
  if (kernel.empty()) {
    const Choice choice = choose(rows, presets, problem, device);
    if (choice.row == nullptr) return nothing_takes(rows, problem, device);
    return choice.row;
  }
  const GemmRow* named = find(rows, kernel);
  if (named == nullptr) {
    return Status::invalid(fmt::format("kernel = \"{}\" does not exist; the nearest names are {}",
                                       kernel, nearest_names(rows, kernel)));
  }
  if (const std::string reason = refusal(*named, problem, device); !reason.empty()) {
    return Status::unsupported(
        fmt::format("{} does not take {}: {}", kernel, describe(problem), reason));
  }
  return named;
}

std::vector<Rejection> explain_gemm(GemmRows rows, GemmPresets presets, const GemmProblem& problem,
                                    const DeviceInfo& device) {
  const Choice choice = choose(rows, presets, problem, device);
  std::vector<Rejection> entries;
  bool before_choice = choice.row != nullptr;
  for (const GemmRow* row : rows) {
    std::string reason;
    if (row == choice.row) {
      before_choice = false;
    } else {
      reason = refusal(*row, problem, device);
      if (reason.empty()) reason = reason_not_taken(*row, choice, before_choice);
    }
    entries.push_back({std::string(row->name), std::move(reason)});
  }
  return entries;
}

}  // namespace tilewright
