#pragma once
// The subcommands. Each adds itself to the command line and, if chosen, stores what to run in `chosen`. CLI11 is known
// in this folder only.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace simreel {

// Runs a parsed command line; returns the exit code.
using Command = std::function<int()>;

using AddCommand = void(CLI::App& program, Command& chosen);
AddCommand add_new, add_render, add_sweep, add_view, add_plot, add_figure, add_check, add_preview, add_info,
    add_selftest, add_colormaps, add_solvers, add_keys, add_bench, add_compare;
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
