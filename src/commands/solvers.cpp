#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.h"
#include "source/solver.h"

namespace simreel {
namespace {

int run() {
  for (const SolverKind& kind : solver_kinds()) {
    // The reads of the solver, from a table that answers each with the default, are the documentation.
    Table keys = Table::documentation();
    kind.read(keys);
    fmt::print("kind = \"{}\"    {}\n", kind.name, kind.summary);
    fmt::print("  fields for [view]: {}\n  columns of a .csv: {}\n\n", fmt::join(kind.fields, ", "),
               fmt::join(kind.diagnostics, ", "));
    std::size_t key_width = 3, value_width = 7;
    for (const KeyDoc& doc : keys.documented()) {
      key_width = std::max(key_width, doc.key.size());
      value_width = std::max(value_width, doc.default_value.size());
    }
    fmt::print("  {:<{}}  {:<{}}  meaning\n", "key", key_width, "default", value_width);
    for (const KeyDoc& doc : keys.documented())
      fmt::print("  {:<{}}  {:<{}}  {}\n", doc.key, key_width, doc.default_value, value_width, doc.meaning);
    fmt::print("\n");
  }
  return 0;
}

}  // namespace

void add_solvers(CLI::App& program, Command& chosen) {
  CLI::App* const command = program.add_subcommand("solvers", "List the solvers with their keys, defaults and meaning");
  command->callback([&chosen] { chosen = run; });
}

}  // namespace simreel
