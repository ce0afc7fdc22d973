#include "measure/cli/tool.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "measure/cli/commands.h"
#include "measure/cli/parse.h"
#include "measure/peers/plugin.h"

namespace tilewright::measure::cli {
namespace {

constexpr const char* kFooter = R"(
Examples:
  tilewright compare gemm
  tilewright compare gemm --suite benchmarks/suites/squares.toml --out squares.json
  tilewright summary squares.json --against best

Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 undecided, 4 invalid, 5 no such device.
tilewright COMMAND --help tells the words of a command.)";

std::string version_text(const BuiltFrom& built) {
  const BuiltFrom from = resolve_commit(built);
  return fmt::format("tilewright {} (commit {}{})", version(),
                     from.commit.empty() ? "unknown" : from.commit, from.dirty ? ", changed" : "");
}

// CLI11 calls a word that is no command an unexpected argument; the near names help more.
void refuse_unknown_command(const CLI::App& app, const Session& session) {
  if (session.command.size() < 2 || session.command[1].starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  for (const std::string& name : names) {
    if (name == session.command[1]) return;
  }
  wrong_usage(fmt::format("'{}' is not a command{}", session.command[1],
                          suggestion(session.command[1], names)));
}

int run(int argc, const char* const* argv, const BuiltFrom& built, bool in_python) {
  Session session{{argv, argv + argc}, built, in_python, {}};
  CLI::App app(
      "Compares implementations of matrix operations, ours and others', and shows its work.",
      "tilewright");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text(built));
  app.require_subcommand(1);
  add_info(app, session);
  add_list(app, session);
  add_explain(app, session);
  add_verify(app, session);
  add_bench(app, session);
  add_compare(app, session);
  add_summary(app, session);
  add_gate(app, session);
  add_report(app, session);
  add_conformance(app, session);
  refuse_unknown_command(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const std::string command =
        app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
    wrong_usage(
        fmt::format("{}; tilewright{} --help tells what is accepted", error.what(), command));
  }
  return static_cast<int>(session.work());
}

}  // namespace

const char* version() {
  return TILEWRIGHT_VERSION;
}

void add_op(CLI::App& command, std::string& op) {
  command.add_option("OP", op, "the operation: gemm")->required();
}

void require_op(const std::string& op) {
  if (op != "gemm") {
    wrong_usage(fmt::format("'{}' is not an operation{}", op, suggestion(op, {"gemm"})));
  }
}

void add_format(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "table, json, csv or markdown (table)")
      ->type_name("FORMAT");
}

Format format_of(const std::string& format) {
  if (format.empty()) return Format::kTable;
  if (const auto parsed = parse_format(format)) return *parsed;
  wrong_usage(
      fmt::format("--format: '{}' is not accepted; give table, json, csv or markdown", format));
}

void print_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  throw Failure{Exit::kFailure, fmt::format("stdout cannot be written: {}", std::strerror(errno))};
}

namespace {

// What a command throws becomes a sentence and an exit code.
template <class Work>
int guarded(Work work) {
  try {
    return work();
  } catch (const Failure& failure) {
    fmt::print(stderr, "tilewright: {}\n", failure.sentence);
    return static_cast<int>(failure.code);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewright: {}\n", error.what());
    return static_cast<int>(Exit::kFailure);
  }
}

}  // namespace

int run_tool(int argc, const char* const* argv, const BuiltFrom& built) {
  return guarded([&] { return run(argc, argv, built, false); });
}

int run_tool_in_python(int argc, const char* const* argv, const BuiltFrom& built,
                       const tw_peer* peers, std::uint32_t count) {
  return guarded([&] {
    const Status status = count == 0 ? Status{} : add_host_peers(peers, count, "Python");
    if (!status.ok()) wrong_usage(status.message());
    return run(argc, argv, built, true);
  });
}

}  // namespace tilewright::measure::cli
