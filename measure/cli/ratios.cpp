#include "measure/cli/ratios.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "measure/cli/failure.h"
#include "measure/cli/ids.h"
#include "measure/cli/parse.h"
#include "measure/cli/result_table.h"
#include "measure/protocol/compare.h"
#include "measure/record/label.h"

namespace tilewright::measure::cli {
namespace {

const std::vector<std::string> kKeys = {"m",      "n",  "k",      "batch", "dtype", "out",
                                        "layout", "op", "regime", "timer", "device"};

Json key_of(const Cell& cell, const std::string& key) {
  const GemmProblem& p = cell.problem;
  if (key == "m") return p.m;
  if (key == "n") return p.n;
  if (key == "k") return p.k;
  if (key == "batch") return p.batch;
  if (key == "dtype") return name_of(p.a.type);
  if (key == "out") return name_of(p.d.type);
  if (key == "layout") return layout_of(p);
  if (key == "op") return cell.op;
  if (key == "regime") return cell.regime;
  if (key == "timer") return cell.timer;
  return cell.device_uuid;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void require_key(const char* option, const std::string& key) {
  if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) return;
  wrong_usage(
      fmt::format("{}: '{}' is no key of a cell; {} are", option, key, fmt::join(kKeys, ", ")));
}

struct Condition {
  std::string key;
  std::vector<std::string> values;
};

Condition parse_condition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    wrong_usage(
        fmt::format("--where: '{}' is not accepted; give key=value or key=value,value", text));
  }
  Condition condition{text.substr(0, equals), split_list("--where", text.substr(equals + 1))};
  require_key("--where", condition.key);
  return condition;
}

std::vector<std::string> values_in(const std::vector<const Cell*>& cells, const std::string& key) {
  std::vector<std::string> values;
  for (const Cell* cell : cells) {
    std::string value = text_of(key_of(*cell, key));
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

std::vector<const Cell*> select(const RunFile& run, const RatioQuery& query) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : run.cells) cells.push_back(&cell);
  if (cells.empty()) throw Failure{Exit::kInvalid, "the file holds 0 cells: nothing to compare"};
  for (const std::string& text : query.where) {
    const Condition condition = parse_condition(text);
    const std::vector<const Cell*> before = cells;
    std::erase_if(cells, [&](const Cell* cell) {
      const std::string value = text_of(key_of(*cell, condition.key));
      return std::find(condition.values.begin(), condition.values.end(), value) ==
             condition.values.end();
    });
    if (cells.empty()) {
      throw Failure{
          Exit::kInvalid,
          fmt::format("--where {}: 0 of {} cells match; {} is {} there", text, before.size(),
                      condition.key, fmt::join(values_in(before, condition.key), " or "))};
    }
  }
  for (const char* key : {"op", "regime", "timer", "device"}) {
    const std::vector<std::string> values = values_in(cells, key);
    if (values.size() < 2) continue;
    throw Failure{Exit::kInvalid,
                  fmt::format("the cells differ in {} ({}) and must not be mixed; choose one by "
                              "--where {}={}",
                              key, fmt::join(values, ", "), key, values.front())};
  }
  return cells;
}

const Entry* entry_of(const Cell& cell, const std::string& id) {
  for (const Entry& entry : cell.entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

const Entry* fastest_peer(const Cell& cell, const RatioQuery& query) {
  const Entry* best = nullptr;
  for (const Entry& entry : cell.entries) {
    if (entry.status != "ok" || entry.id == query.ours || entry.id.ends_with(kAgain)) continue;
    const bool named =
        std::find(query.against.begin(), query.against.end(), entry.id) != query.against.end();
    if (query.against.empty() ? is_ours(entry.id) : !named) continue;
    if (!best || entry.time_ns < best->time_ns) best = &entry;
  }
  return best;
}

RatioGroup reduce(Json key, const std::vector<double>& ratios) {
  RatioGroup group;
  group.key = std::move(key);
  group.min = ratios.front();
  group.cells = static_cast<std::int64_t>(ratios.size());
  double logs = 0;
  for (const double ratio : ratios) {
    logs += std::log(ratio);
    group.min = std::min(group.min, ratio);
  }
  group.geomean = std::exp(logs / static_cast<double>(ratios.size()));
  return group;
}

}  // namespace

std::vector<std::string> ids_of(const RunFile& run) {
  std::vector<std::string> ids;
  for (const Cell& cell : run.cells) {
    for (const Entry& entry : cell.entries) {
      if (std::find(ids.begin(), ids.end(), entry.id) == ids.end()) ids.push_back(entry.id);
    }
  }
  return ids;
}

RatioAnswer answer(const RunFile& run, const RatioQuery& query) {
  if (!query.by.empty()) require_key("--by", query.by);
  RatioAnswer out;
  std::vector<std::pair<Json, std::vector<double>>> groups;
  for (const Cell* cell : select(run, query)) {
    const std::string label = label_of(cell->problem);
    const Entry* ours = entry_of(*cell, query.ours);
    const Entry* peer = fastest_peer(*cell, query);
    if (!ours || ours->status != "ok") {
      out.ours_failed = out.ours_failed || (ours && ours->status == "failed");
      out.warnings.push_back(
          fmt::format("{}: left out: {} {}", label, query.ours,
                      ours ? ours->status + ": " + ours->reason : std::string("took no part")));
      continue;
    }
    if (!peer) {
      out.warnings.push_back(fmt::format("{}: left out: no peer was timed", label));
      continue;
    }
    for (const Entry* entry : {ours, peer}) {
      if (!was_checked(*entry)) {
        out.warnings.push_back(fmt::format("{}: {} was not verified", label, entry->id));
      }
    }
    const Json key = query.by.empty() ? Json(nullptr) : key_of(*cell, query.by);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& each) { return each.first == key; });
    if (group == groups.end()) {
      groups.emplace_back(key, std::vector<double>());
      group = std::prev(groups.end());
    }
    group->second.push_back(peer->time_ns / ours->time_ns);
  }
  if (groups.empty()) {
    throw Failure{Exit::kInvalid, fmt::format("0 cells have both {} and a peer with a time: {}",
                                              query.ours, fmt::join(out.warnings, "; "))};
  }
  for (auto& [key, ratios] : groups) out.groups.push_back(reduce(std::move(key), ratios));
  std::stable_sort(out.groups.begin(), out.groups.end(),
                   [](const RatioGroup& a, const RatioGroup& b) { return a.key < b.key; });
  return out;
}

}  // namespace tilewright::measure::cli
