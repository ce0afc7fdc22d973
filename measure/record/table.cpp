#include "measure/record/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewright::measure {
namespace {

// Code points, which is what a terminal's columns are for the names that occur here.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

// A reason may hold a driver's message with line ends or escape codes: one line, nothing that the
// terminal would obey.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return out;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string csv_field(const Json& raw) {
  if (raw.is_null()) return "";
  const std::string text = raw.is_string() ? raw.get<std::string>() : raw.dump();
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string out(1, '"');
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

std::string terminal(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(width_of(table.columns[c].title));
    for (const auto& row : table.rows) {
      widths[c] = std::max(widths[c], width_of(one_line(row[c].shown)));
    }
  }
  std::string out;
  const auto line = [&](auto&& text_of) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) text += "  ";
      text += padded(text_of(c), widths[c], table.columns[c].is_number);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) { return table.columns[c].title; });
  const auto rule = [&] { line([&](std::size_t c) { return std::string(widths[c], '-'); }); };
  rule();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (std::find(table.rules.begin(), table.rules.end(), r) != table.rules.end()) rule();
    line([&](std::size_t c) { return one_line(table.rows[r][c].shown); });
  }
  if (!table.notes.empty()) out += "\n";
  for (const std::string& note : table.notes) out += one_line(note) + "\n";
  return out;
}

std::string markdown(const Table& table) {
  std::string out = "|";
  for (const Column& column : table.columns)
    out += fmt::format(" {} |", markdown_text(column.title));
  out += "\n|";
  for (const Column& column : table.columns) out += column.is_number ? "---:|" : "---|";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const Value& value : row) out += fmt::format(" {} |", markdown_text(value.shown));
    out += "\n";
  }
  if (!table.notes.empty()) out += "\n";
  for (const std::string& note : table.notes) out += fmt::format("- {}\n", one_line(note));
  return out;
}

std::string csv(const Table& table) {
  std::string out;
  const auto line = [&](auto&& field_of) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_field(field_of(c));
    }
    out += "\r\n";
  };
  line([&](std::size_t c) { return Json(table.columns[c].key); });
  for (const auto& row : table.rows) line([&](std::size_t c) { return row[c].raw; });
  return out;
}

std::string json(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c].key] = row[c].raw;
    rows.push_back(std::move(object));
  }
  return layout_json(rows);
}

// Without the columns that are for `readers` alone.
Table without(const Table& whole, Readers readers) {
  Table table = whole;
  table.columns.clear();
  for (auto& row : table.rows) row.clear();
  for (std::size_t c = 0; c < whole.columns.size(); ++c) {
    if (whole.columns[c].readers == readers) continue;
    table.columns.push_back(whole.columns[c]);
    for (std::size_t r = 0; r < whole.rows.size(); ++r) table.rows[r].push_back(whole.rows[r][c]);
  }
  return table;
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  if (name == "table") return Format::kTable;
  if (name == "json") return Format::kJson;
  if (name == "csv") return Format::kCsv;
  if (name == "markdown") return Format::kMarkdown;
  return std::nullopt;
}

Value text_value(std::string text) {
  return {text, text};
}

Value number_value(double number, int decimals) {
  if (!std::isfinite(number)) return {};
  return {fmt::format("{:.{}f}", number, decimals), number};
}

Value integer_value(std::int64_t number) {
  return {std::to_string(number), number};
}

std::string render(const Table& whole, Format format) {
  const bool people = format == Format::kTable || format == Format::kMarkdown;
  const Table table = without(whole, people ? Readers::kPrograms : Readers::kPeople);
  switch (format) {
    case Format::kTable:
      return terminal(table);
    case Format::kJson:
      return json(table);
    case Format::kCsv:
      return csv(table);
    case Format::kMarkdown:
      return markdown(table);
  }
  return "";
}

}  // namespace tilewright::measure
