#include "measure/cli/cpu_set.h"

#include <fmt/format.h>
#include <sched.h>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"

namespace tilewright::measure::cli {

void add_cpus_option(CLI::App& command, std::string& words) {
  command.add_option("--cpus", words, "keep every thread to these CPUs: 0-3,8 (all it may use)")
      ->type_name("LIST")
      ->check(refuse_empty)
      ->group("Protocol");
}

void keep_to_cpus(const std::string& words) {
  if (words.empty()) return;
  cpu_set_t allowed, wanted;
  CPU_ZERO(&wanted);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    throw Failure{Exit::kFailure, "--cpus: the system does not tell which CPUs may be used"};
  }
  for (const std::string& part : split_list("--cpus", words)) {
    const std::size_t dash = part.find('-');
    const Bounds bounds{0, CPU_SETSIZE - 1};
    const auto first = parse_integer("--cpus", part.substr(0, dash), bounds);
    const auto last =
        dash == part.npos ? first : parse_integer("--cpus", part.substr(dash + 1), bounds);
    if (last < first) {
      wrong_usage(fmt::format("--cpus: '{}' is not accepted; give FIRST-LAST", part));
    }
    for (std::int64_t cpu = first; cpu <= last; ++cpu) {
      if (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
        wrong_usage(
            fmt::format("--cpus: this process may not use CPU {}; taskset -p $$ tells which "
                        "it may",
                        cpu));
      }
      CPU_SET(static_cast<std::size_t>(cpu), &wanted);
    }
  }
  if (::sched_setaffinity(0, sizeof wanted, &wanted) != 0) {
    throw Failure{Exit::kFailure, fmt::format("--cpus: the system refuses '{}'", words)};
  }
}

}  // namespace tilewright::measure::cli
