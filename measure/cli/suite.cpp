#include "measure/cli/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "measure/cli/failure.h"
#include "measure/cli/parse.h"
#include "measure/cli/problem_options.h"

namespace tilewright::measure::cli {
namespace {

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Suite read() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    // Nothing to copy is no failure of the stream, but reads like one.
    const bool empty = file && file.peek() == EOF && !std::filesystem::is_directory(path_);
    if (!empty && (!file || !(text << file.rdbuf()))) {
      wrong_usage(
          fmt::format("--suite: '{}' cannot be read; give a TOML file like those in "
                      "benchmarks/suites",
                      path_));
    }
    try {
      return suite_from(toml::parse(text.str()));
    } catch (const toml::parse_error& error) {
      refuse(error.source().begin, error.description());
    }
  }

 private:
  [[noreturn]] void refuse(const toml::source_position& at, std::string_view why) const {
    wrong_usage(fmt::format("{}:{}:{}: {}", path_, at.line, at.column, why));
  }
  [[noreturn]] void refuse(const toml::node& at, std::string_view why) const {
    refuse(at.source().begin, why);
  }

  void known_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      refuse(key.source().begin,
             fmt::format("'{}' is not a key here; {} are", name, fmt::join(known, ", ")));
    }
  }

  std::string text(const toml::node& node) const {
    if (const auto* value = node.as_string()) return value->get();
    refuse(node, "a string is needed here");
  }

  std::int64_t size(const toml::node& node) const {
    const auto* value = node.as_integer();
    if (!value || value->get() < 1 || value->get() > kLargestSize) {
      refuse(node, fmt::format("a whole number from 1 to {} is needed here", kLargestSize));
    }
    return value->get();
  }

  std::vector<std::string> words(const toml::table& table, const char* key) const {
    std::vector<std::string> out;
    for_each(table, key, [&](const toml::node& item) { out.push_back(text(item)); });
    return out;
  }

  template <class F>
  void for_each(const toml::table& table, const char* key, F&& visit) const {
    const toml::node* node = table.get(key);
    if (!node) return;
    const toml::array* list = node->as_array();
    if (!list || list->empty()) refuse(*node, fmt::format("'{}' must be a list of values", key));
    for (const toml::node& item : *list) visit(item);
  }

  // One size or a list of them.
  std::vector<std::int64_t> sizes(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (!list) return {size(node)};
    if (list->empty()) refuse(node, "a list of sizes must hold one at least");
    std::vector<std::int64_t> out;
    for (const toml::node& item : *list) out.push_back(size(item));
    return out;
  }

  // Turns the refusal of a shared parser into one that tells the place in the file.
  template <class F>
  auto at(const toml::node& node, F&& parse) const {
    try {
      return parse();
    } catch (const Failure& failure) {
      refuse(node, failure.sentence);
    }
  }

  // The keys of a problem's form, which the top level may set for all problems.
  void form_keys(const toml::table& table, ProblemForm& form) const {
    if (const toml::node* node = table.get("dtype")) {
      form.inputs = at(*node, [&] { return parse_gemm_type("dtype", text(*node)); });
      form.output = form.inputs;
    }
    if (const toml::node* node = table.get("out")) {
      form.output = at(*node, [&] { return parse_gemm_type("out", text(*node)); });
    }
    if (const toml::node* node = table.get("layout")) {
      at(*node, [&] { set_layout(form, "layout", text(*node)); });
    }
    if (const toml::node* node = table.get("batch")) form.batch = size(*node);
  }

  void problems_from(const toml::node& node, const ProblemForm& common, Suite& suite) const {
    const toml::table* table = node.as_table();
    if (!table) refuse(node, "each [[problem]] must be a table");
    known_keys(*table, {"m", "n", "k", "sizes", "batch", "dtype", "out", "layout", "only", "skip"});
    ProblemForm form = common;
    form_keys(*table, form);
    const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      suite.problems.push_back(
          {problem_of(form, m, n, k), words(*table, "only"), words(*table, "skip")});
    };
    const toml::node *m = table->get("m"), *n = table->get("n"), *k = table->get("k");
    const bool any = m || n || k;
    if (any == table->contains("sizes") || (any && !(m && n && k))) {
      refuse(node, "a problem has either m, n and k, or sizes = [..] for m = n = k");
    }
    if (any) {
      for (const std::int64_t each_n : sizes(*n)) {
        for (const std::int64_t each_k : sizes(*k)) {
          for (const std::int64_t each_m : sizes(*m)) add(each_m, each_n, each_k);
        }
      }
      return;
    }
    for_each(*table, "sizes", [&](const toml::node& item) {
      const std::int64_t s = size(item);
      add(s, s, s);
    });
  }

  Suite suite_from(const toml::table& root) const {
    known_keys(root,
               {"name", "description", "op", "ids", "dtype", "out", "layout", "batch", "problem"});
    Suite suite;
    if (!root.contains("name")) refuse(root, "the suite lacks a name = \"..\"");
    suite.name = text(*root.get("name"));
    if (const toml::node* node = root.get("description")) suite.description = text(*node);
    if (const toml::node* node = root.get("op"); node && text(*node) != "gemm") {
      refuse(*node, fmt::format("op = '{}' is not known; gemm is accepted", text(*node)));
    }
    suite.ids = words(root, "ids");
    ProblemForm common;
    form_keys(root, common);
    if (!root.contains("problem")) refuse(root, "the suite lacks a [[problem]]");
    for_each(root, "problem", [&](const toml::node& node) { problems_from(node, common, suite); });
    return suite;
  }

  std::string path_;
};

}  // namespace

Suite read_suite(const std::string& path) {
  return Reader(path).read();
}

}  // namespace tilewright::measure::cli
