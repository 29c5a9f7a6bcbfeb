#pragma once
// The subcommands. Each adds itself to the command line and, if chosen, stores what to run in `chosen`. CLI11 is known
// in this folder only.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace simreel {

// Runs a parsed command line; returns the exit code.
using Command = std::function<int()>;

void add_new(CLI::App& program, Command& chosen);
void add_render(CLI::App& program, Command& chosen);
void add_sweep(CLI::App& program, Command& chosen);
void add_view(CLI::App& program, Command& chosen);
void add_plot(CLI::App& program, Command& chosen);
void add_figure(CLI::App& program, Command& chosen);
void add_check(CLI::App& program, Command& chosen);
void add_preview(CLI::App& program, Command& chosen);
void add_info(CLI::App& program, Command& chosen);
void add_selftest(CLI::App& program, Command& chosen);
void add_colormaps(CLI::App& program, Command& chosen);
void add_solvers(CLI::App& program, Command& chosen);
void add_keys(CLI::App& program, Command& chosen);
void add_bench(CLI::App& program, Command& chosen);
void add_compare(CLI::App& program, Command& chosen);
// `invocation`: the name by which the user called simreel, for commands that it prints.
void add_golden(CLI::App& program, Command& chosen, const std::string& invocation);

// Parses the arguments and runs their subcommand. Throws UsageError for invalid arguments.
int run_command(int argc, char** argv);

// What `simreel --version` prints, and with it what a report of a bug needs of the build.

std::string version_text();
// The limits of the control group: "2 cores, 1.0 GiB of memory, 700.0 MiB of it free"; empty without any.
std::string control_group();
// In generated code: "5d718aae6f0c", with "-dirty" after it where files were changed; "unknown" outside of a
// repository.
const char* build_commit();

}  // namespace simreel
