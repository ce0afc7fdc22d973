#include "measure/cli/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "measure/record/label.h"
#include "measure/stats/summary.h"

namespace tilewright::measure::cli {
namespace {

struct Method {
  std::string regime, timer;
  bool operator==(const Method&) const = default;
  std::string name() const { return regime + " " + timer; }
};

// Time by one method over time by another.
struct Contrast {
  std::size_t over, under;  // places in the list of methods
  std::string title;
};

template <class T>
std::size_t place_in(std::vector<T>& list, const T& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

std::vector<Contrast> contrasts_of(const std::vector<Method>& methods) {
  std::vector<Contrast> contrasts;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = i + 1; j < methods.size(); ++j) {
      if (methods[i].regime != methods[j].regime) continue;
      contrasts.push_back(
          {j, i,
           fmt::format("{}: {} / {}", methods[i].regime, methods[j].timer, methods[i].timer)});
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = 0; j < methods.size(); ++j) {
      const bool both = methods[i].regime == "sustained" && methods[j].regime == "isolated";
      if (!both || methods[i].timer != methods[j].timer) continue;
      contrasts.push_back({i, j, fmt::format("{}: sustained / isolated", methods[i].timer)});
    }
  }
  return contrasts;
}

std::string key_of(std::string title) {
  for (char& letter : title) {
    if (letter == ' ' || letter == '/' || letter == ':') letter = '_';
  }
  return title;
}

struct Row {
  std::string device, problem, id;
  std::vector<double> times_ns;  // by method; NaN where it was not measured
};

std::vector<Row> rows_of(const RunFile& run, std::vector<Method>& methods) {
  std::vector<Row> rows;
  for (const Cell& cell : run.cells) {
    const std::size_t method = place_in(methods, {cell.regime, cell.timer});
    for (const Entry& entry : cell.entries) {
      if (entry.status != "ok") continue;
      const std::string problem = label_of(cell.problem);
      auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& each) {
        return each.device == cell.device_uuid && each.problem == problem && each.id == entry.id;
      });
      if (row == rows.end()) {
        rows.push_back(
            {cell.device_uuid, problem, entry.id,
             std::vector<double>(methods.size(), std::numeric_limits<double>::quiet_NaN())});
        row = rows.end() - 1;
      }
      double& time_ns = row->times_ns[method];
      if (std::isnan(time_ns)) time_ns = entry.time_ns;
    }
  }
  return rows;
}

double ratio_of(const Row& row, const Contrast& contrast) {
  return row.times_ns[contrast.over] / row.times_ns[contrast.under];
}

void note_spread(const std::vector<Row>& rows, const Contrast& contrast, Table& table) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const double ratio = ratio_of(row, contrast);
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  if (ratios.empty()) return;
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  table.notes.push_back(fmt::format("{}: {:.3f} to {:.3f}, median {:.3f}.", contrast.title, *low,
                                    *high, median(ratios)));
}

void note_overhead(const RunFile& run, const Method& method, Table& table) {
  std::vector<double> overheads;
  for (const Cell& cell : run.cells) {
    const bool same = Method{cell.regime, cell.timer} == method;
    if (same && cell.clock_overhead_ns) overheads.push_back(*cell.clock_overhead_ns);
  }
  if (overheads.empty()) return;
  table.notes.push_back(fmt::format(
      "{}: its clock reads {:.2f} us around nothing; it is part of a sample, not taken off.",
      method.name(), median(overheads) * 1e-3));
}

}  // namespace

Table methods_table(const RunFile& run) {
  std::vector<Method> methods;
  for (const Cell& cell : run.cells) place_in(methods, {cell.regime, cell.timer});
  const std::vector<Row> rows = rows_of(run, methods);
  const std::vector<Contrast> contrasts = contrasts_of(methods);
  Table table;
  table.columns = {{"problem", "problem"}, {"implementation", "implementation"}};
  for (const Method& method : methods) {
    table.columns.push_back({method.name() + " us", key_of(method.name() + " us"), true});
  }
  for (const Contrast& contrast : contrasts) {
    table.columns.push_back({contrast.title, key_of(contrast.title), true});
  }
  for (const Row& row : rows) {
    std::vector<Value>& values = table.rows.emplace_back();
    values = {text_value(row.problem), text_value(row.id)};
    for (const double time_ns : row.times_ns) values.push_back(number_value(time_ns * 1e-3, 2));
    for (const Contrast& contrast : contrasts) {
      values.push_back(number_value(ratio_of(row, contrast), 3));
    }
  }
  for (const Contrast& contrast : contrasts) note_spread(rows, contrast, table);
  for (const Method& method : methods) note_overhead(run, method, table);
  return table;
}

}  // namespace tilewright::measure::cli
