#include "measure/timers/activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tilewright::measure {
namespace {

Status wrong(std::string why) {
  return {StatusCode::kDeviceError, "the profiler's records cannot be trusted: " + std::move(why)};
}

Status check_stamps(const std::vector<ActivityRecord>& records) {
  for (const ActivityRecord& record : records) {
    if (record.start_ns == 0 || record.end_ns == 0) {
      return wrong(fmt::format("{} has a time stamp of 0", record.name));
    }
    if (record.end_ns < record.start_ns) {
      return wrong(fmt::format("{} ends {} ns before it starts", record.name,
                               record.start_ns - record.end_ns));
    }
  }
  return {};
}

// How often each kernel ran: two replays of one graph must agree in it.
std::map<std::string, int> kernels_of(const ActivityRecord* first, const ActivityRecord* last) {
  std::map<std::string, int> counts;
  for (; first != last; ++first) ++counts[first->name];
  return counts;
}

// First start to last end, and the time in between in which none of them ran.
void add_span(const ActivityRecord* first, const ActivityRecord* last, ReplaySpans& spans) {
  std::uint64_t end = first->start_ns, gap = 0;
  for (const ActivityRecord* record = first; record != last; ++record) {
    if (record->start_ns > end) gap += record->start_ns - end;
    end = std::max(end, record->end_ns);
  }
  spans.spans_ns.push_back(static_cast<std::int64_t>(end - first->start_ns));
  spans.gaps_ns.push_back(static_cast<std::int64_t>(gap));
}

}  // namespace

Result<ReplaySpans> replay_spans(std::vector<ActivityRecord> records, std::int64_t replays,
                                 std::int64_t nodes, std::optional<std::uint64_t> lost) {
  if (lost.value_or(0) > 0) return wrong(fmt::format("{} were dropped", *lost));
  const auto count = static_cast<std::int64_t>(records.size());
  if (count != replays * nodes) {
    return wrong(fmt::format("there are {} where {} replays of {} kernels and copies make {}",
                             count, replays, nodes, replays * nodes));
  }
  if (Status status = check_stamps(records); !status) return status;
  std::stable_sort(records.begin(), records.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  ReplaySpans spans;
  spans.records_per_replay = nodes;
  std::map<std::string, int> first_kernels;
  std::uint64_t last_end = 0;
  for (std::int64_t replay = 0; replay < replays && nodes > 0; ++replay) {
    const ActivityRecord* first = records.data() + replay * nodes;
    const ActivityRecord* last = first + nodes;
    if (first->start_ns < last_end) {
      return wrong(fmt::format("replay {} starts before replay {} has ended", replay, replay - 1));
    }
    std::map<std::string, int> kernels = kernels_of(first, last);
    if (replay == 0) {
      first_kernels = std::move(kernels);
    } else if (kernels != first_kernels) {
      return wrong(fmt::format("replay {} ran other kernels than the first", replay));
    }
    add_span(first, last, spans);
    last_end = static_cast<std::uint64_t>(spans.spans_ns.back()) + first->start_ns;
  }
  for (std::int64_t i = 0; i < std::min(nodes, count); ++i) {
    const std::string& name = records[static_cast<std::size_t>(i)].name;
    if (std::find(spans.kernels.begin(), spans.kernels.end(), name) == spans.kernels.end()) {
      spans.kernels.push_back(name);
    }
  }
  return spans;
}

}  // namespace tilewright::measure
