// A table and its four forms: terminal, Markdown, CSV (RFC 4180), JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/record/json.h"

namespace tilewright::measure {

enum class Format { kTable, kJson, kCsv, kMarkdown };
std::optional<Format> parse_format(std::string_view name);

// What people read and what programs read. A value that is not there is shown as "-" and is null in
// JSON, empty in CSV; never 0.
struct Value {
  std::string shown = "-";
  Json raw = nullptr;
};
Value text_value(std::string text);
Value number_value(double number, int decimals);  // nothing for NaN
Value integer_value(std::int64_t number);

// The terminal and Markdown are for people, CSV and JSON for programs.
enum class Readers { kAll, kPeople, kPrograms };

struct Column {
  std::string title;  // for people
  std::string key;    // for programs
  bool is_number = false;
  Readers readers = Readers::kAll;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  // each as long as columns
  std::vector<std::size_t> rules;        // a line is drawn above these rows
  std::vector<std::string> notes;        // below the table; for people
};

// Ends with a newline. JSON is a list of objects.
std::string render(const Table& table, Format format);

}  // namespace tilewright::measure
