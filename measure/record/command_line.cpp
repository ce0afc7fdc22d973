#include "measure/record/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "measure/record/label.h"

namespace tilewright::measure {
namespace {

constexpr std::array<std::string_view, 21> kReplaced = {
    "--only",   "--sim-seeds", "--sim-seed", "--sim-copies", "--suite", "--sizes",
    "--m",      "--n",         "--k",        "--batch",      "--dtype", "--out-dtype",
    "--layout", "--a-order",   "--b-order",  "--d-order",    "--lda",   "--ldb",
    "--ldc",    "--ldd",       "--align"};

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out(1, '\'');
  for (const char c : word) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += quoted(word);
  }
  return line;
}

std::vector<std::string> words_of(const GemmProblem& p) {
  std::vector<std::string> words;
  const auto say = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  const auto number = [&](const char* option, std::int64_t value, std::int64_t usual) {
    if (value != usual) say(option, fmt::format("{}", value));
  };
  const auto ld = [&](const char* option, const Operand& operand, std::int64_t rows,
                      std::int64_t columns) {
    number(option, operand.ld, operand.order == Order::kRowMajor ? columns : rows);
  };
  constexpr std::int64_t kAlwaysSaid = -1;
  number("--m", p.m, kAlwaysSaid);
  number("--n", p.n, kAlwaysSaid);
  number("--k", p.k, kAlwaysSaid);
  number("--batch", p.batch, 1);
  say("--dtype", std::string(name_of(p.a.type)));
  if (p.d.type != p.a.type) say("--out-dtype", std::string(name_of(p.d.type)));
  if (const std::string layout = layout_of(p).substr(0, 2); layout != "nt") say("--layout", layout);
  if (p.d.order == Order::kColMajor) say("--d-order", "col");
  ld("--lda", p.a, p.m, p.k);
  ld("--ldb", p.b, p.k, p.n);
  ld("--ldd", p.d, p.m, p.n);
  number("--ldc", p.c.ld, p.d.ld);
  number("--align", p.a.alignment_bytes, Operand{}.alignment_bytes);
  return words;
}

std::string replay_line(const std::vector<std::string>& command, const std::string& id,
                        const GemmProblem& problem, const SimInfo& sim) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string name = command[i].substr(0, command[i].find('='));
    if (std::find(kReplaced.begin(), kReplaced.end(), name) == kReplaced.end()) {
      words.push_back(command[i]);
    } else if (name.size() == command[i].size()) {
      ++i;  // its value is the next word
    }
  }
  for (std::string& word : words_of(problem)) words.push_back(std::move(word));
  const std::vector<std::string> schedule = {"--only",       id,
                                             "--sim-seed",   fmt::format("{}", sim.seed),
                                             "--sim-copies", std::string(name_of(sim.copies))};
  words.insert(words.end(), schedule.begin(), schedule.end());
  return command_line(words);
}

}  // namespace tilewright::measure
