#include "measure/cli/problem_set.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "measure/cli/failure.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/suite.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::int64_t memory_bytes(const DeviceInfo& device) {
  if (device.backend != Backend::kCpu) return device.gpu.memory_bytes;
  return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

// A problem that no kernel takes is a result; a problem that is none is wrong usage.
void refuse_wrong(const GemmProblem& problem, const DeviceInfo& device) {
  const Status status = plan_gemm(problem, device).status();
  if (status.code() == StatusCode::kInvalidArgument) {
    wrong_usage(fmt::format("{}: {}", label_of(problem), status.message()));
  }
  // The library has checked that these products fit 64 bits, of bytes and with a batch.
  const auto bytes = [&](const Operand& operand, std::int64_t rows, std::int64_t columns) {
    const std::int64_t lines = operand.order == Order::kRowMajor ? rows : columns;
    return static_cast<double>(bytes_of(operand.type, lines * operand.ld)) *
           static_cast<double>(problem.batch);
  };
  const double needed = bytes(problem.a, problem.m, problem.k) +
                        bytes(problem.b, problem.k, problem.n) +
                        bytes(problem.d, problem.m, problem.n);
  const auto memory = static_cast<double>(memory_bytes(device));
  if (needed > memory) {
    wrong_usage(fmt::format(
        "{}: A, B and D are {:.1f} GiB and {} has {:.1f} GiB of memory; give a smaller problem",
        label_of(problem), needed / kGiB, device.name, memory / kGiB));
  }
}

// Seconds with all kernels: in the simulator one tile, then four of which three are tails.
std::string default_sizes(const DeviceInfo& device) {
  switch (device.backend) {
    case Backend::kCpu:
      return "256,512,1024";
    case Backend::kCuda:
      return "1024,2048,4096";
    case Backend::kSim:
      return "64,136";
  }
  return "";
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

DType default_type(const DeviceInfo& device) {
  return device.backend == Backend::kCpu ? DType::kF32 : DType::kF16;
}

void ProblemSetOptions::add(CLI::App& command) {
  auto* suite = command.add_option("--suite", suite_, "problems from a TOML file")
                    ->type_name("FILE")
                    ->group("Problem");
  command.add_option("--sizes", sizes_, "cubes, m = n = k: 1024,2048")
      ->type_name("LIST")
      ->group("Problem")
      ->excludes(suite);
  problem_.add(command);
}

std::vector<CompareGroup> ProblemSetOptions::groups(const DeviceInfo& device,
                                             const std::vector<std::string>& only,
                                             const std::vector<std::string>& default_ids,
                                             ProblemOptions::Zero zero) const {
  if (problem_.has_sizes() && (suite_ || sizes_)) {
    wrong_usage(
        fmt::format("--m --n --k and {} exclude each other", suite_ ? "--suite" : "--sizes"));
  }
  std::vector<CompareGroup> groups;
  if (suite_) {
    problem_.refuse_form_with("--suite");
    groups = suite_groups(device, only, default_ids);
  } else {
    CompareGroup& group = groups.emplace_back();
    group.ids = only.empty() ? default_ids : only;
    const DType type = default_type(device);
    if (problem_.has_sizes()) {
      group.problems = {problem_.single(type, zero)};
    } else {
      const ProblemForm form = problem_.form(type, zero);
      for (const std::int64_t s : parse_sizes("--sizes", sizes_.value_or(default_sizes(device)))) {
        group.problems.push_back(problem_of(form, s, s, s));
      }
    }
  }
  for (const CompareGroup& group : groups) {
    for (const GemmProblem& problem : group.problems) refuse_wrong(problem, device);
  }
  return groups;
}

std::vector<CompareGroup> ProblemSetOptions::suite_groups(
    const DeviceInfo& device, const std::vector<std::string>& only,
    const std::vector<std::string>& default_ids) const {
  const Suite suite = read_suite(*suite_);
  const auto resolve = [&](const std::vector<std::string>& words) {
    return resolve_ids("--suite " + *suite_, words, device);
  };
  std::vector<std::string> asked = only;
  if (asked.empty()) asked = suite.ids.empty() ? default_ids : resolve(suite.ids);

  std::vector<CompareGroup> groups;
  for (const SuiteProblem& each : suite.problems) {
    const std::vector<std::string> wanted = resolve(each.only), unwanted = resolve(each.skip);
    std::vector<std::string> ids;
    for (const std::string& id : asked) {
      if (!contains(unwanted, id) && (wanted.empty() || contains(wanted, id))) ids.push_back(id);
    }
    if (ids.empty()) {
      fmt::print(stderr,
                 "warning: problem {} of suite '{}' is left out: nobody asked for takes part\n",
                 label_of(each.problem), suite.name);
      continue;
    }
    if (groups.empty() || groups.back().ids != ids) groups.push_back({{}, ids});
    groups.back().problems.push_back(each.problem);
  }
  if (groups.empty()) {
    wrong_usage(
        fmt::format("0 problems of suite '{}' match: it skips every implementation that is "
                    "asked for in each of them",
                    suite.name));
  }
  return groups;
}

}  // namespace tilewright::measure::cli
