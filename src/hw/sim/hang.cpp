// What a hang prints: who waits for what, alike ones together.
#include <fmt/format.h>

#include <map>

#include "hw/sim/machine.h"

namespace tilewright::hw::sim {
namespace {

std::string describe_wait(const Thread& thread, const ClusterMeeting& cluster) {
  const Waiting& waiting = thread.waiting;
  const std::string at = waiting.at.name();
  switch (waiting.what) {
    case Waiting::For::kBarrier: {
      const NamedBarrier& barrier =
          thread.block->barriers[static_cast<std::size_t>(waiting.barrier)];
      return fmt::format("at {} for barrier {}, to which {} of {} threads have come", at,
                         waiting.barrier, barrier.arrived, barrier.expected);
    }
    case Waiting::For::kWarp:
      return fmt::format("in {} at {} for the rest of its warp, of which {} of 32 lanes are there",
                         thread.warp->meeting.instruction, at, thread.warp->meeting.arrived);
    case Waiting::For::kWarpgroup: {
      const Meeting& meeting =
          thread.block->warpgroups[static_cast<std::size_t>(thread.index / 128)];
      return fmt::format("in {} at {} for the rest of its warpgroup, of which {} of 128 are there",
                         meeting.instruction, at, meeting.arrived);
    }
    case Waiting::For::kMbarrier:
      return fmt::format("at {} for parity {} of {}", at, waiting.parity,
                         waiting.mbarrier->describe());
    case Waiting::For::kCluster:
      return fmt::format("at {} for the cluster's barrier, to which {} threads have come", at,
                         cluster.arrived);
    case Waiting::For::kNothing:
      break;
  }
  return fmt::format("after {}", at);
}

struct Run {
  int first, last;
};

std::string list(const std::vector<Run>& runs) {
  std::string text;
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < runs.size() && i < kMost; ++i) {
    if (i > 0) text += ", ";
    text += runs[i].first == runs[i].last ? fmt::format("{}", runs[i].first)
                                          : fmt::format("{}..{}", runs[i].first, runs[i].last);
  }
  return runs.size() > kMost ? text + ", ..." : text;
}

}  // namespace

std::string Machine::describe_hang() const {
  std::map<std::pair<unsigned, std::string>, std::vector<Run>> who;
  for (const Thread& thread : threads_) {
    if (thread.exited) continue;
    auto& runs = who[{thread.block->index, describe_wait(thread, cluster_meeting_)}];
    if (!runs.empty() && runs.back().last == thread.index - 1) {
      runs.back().last = thread.index;
    } else {
      runs.push_back({thread.index, thread.index});
    }
  }
  std::string text = "hang: nothing can go on";
  for (const auto& [what, runs] : who) {
    text += fmt::format("\n  block {}, threads {} wait {}", what.first, list(runs), what.second);
  }
  return text;
}

}  // namespace tilewright::hw::sim
