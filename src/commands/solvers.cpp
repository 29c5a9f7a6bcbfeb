#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.h"
#include "commands/key_tables.h"

namespace simreel {
namespace {

int run() {
  for (const SolverKind& kind : solver_kinds()) {
    fmt::print("kind = \"{}\"    {}\n", kind.name, kind.summary);
    fmt::print("  fields for [view]: {}\n  columns of a .csv: {}\n\n", field_choices(kind.fields, ""),
               fmt::join(kind.diagnostics, ", "));
    for (const KeyTable& table : key_tables(kind)) fmt::print("{}\n{}\n", table.header(), key_rows(table.doc));
  }
  return 0;
}

}  // namespace

void add_solvers(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("solvers", "List the solvers with their fields, columns and keys");
  command->callback([&chosen] { chosen = run; });
}

}  // namespace simreel
