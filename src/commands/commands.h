#pragma once
// The subcommands. Each adds itself to the command line and notes what to run; CLI11 is known in this folder only.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace simreel {

// What a parsed command line asks for; returns the exit code.
using Command = std::function<int()>;

void add_render(CLI::App& program, Command& chosen);
void add_check(CLI::App& program, Command& chosen);
void add_info(CLI::App& program, Command& chosen);
void add_colormaps(CLI::App& program, Command& chosen);
void add_solvers(CLI::App& program, Command& chosen);
void add_bench(CLI::App& program, Command& chosen);
void add_compare(CLI::App& program, Command& chosen);
// `invocation` is how the user called this program, for commands that it prints.
void add_golden(CLI::App& program, Command& chosen, const std::string& invocation);

// Parses the arguments and runs the subcommand they name. Throws UsageError for arguments that make no sense.
int run_command(int argc, char** argv);

}  // namespace simreel
