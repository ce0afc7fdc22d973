// The commands, one file each. add_X declares a command's words; its work runs after the whole
// command line was understood.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "measure/cli/failure.h"
#include "measure/record/provenance.h"
#include "measure/record/table.h"

namespace tilewright::measure::cli {

struct Session {
  std::vector<std::string> command;  // the command line, word by word
  BuiltFrom built;
  bool in_python = false;      // a Python process runs the command and has added its peers
  std::function<Exit()> work;  // of the command that was named
};

void add_info(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_summary(CLI::App& app, Session& session);
void add_gate(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_conformance(CLI::App& app, Session& session);

const char* version();  // of the project, "0.1.0"

// Words that several commands share.
void add_op(CLI::App& command, std::string& op);
void require_op(const std::string& op);  // wrong usage for an operation that does not exist
void add_format(CLI::App& command, std::string& format);
Format format_of(const std::string& format);

// To stdout; an output that takes no more is a failure, not a short table.
void print_out(const std::string& text);

}  // namespace tilewright::measure::cli
