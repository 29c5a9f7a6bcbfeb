#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/key_tables.h"

namespace simreel {
namespace {

void print(const SolverKind& kind) {
  fmt::print("kind = \"{}\"    {}\n", kind.name, kind.summary);
  fmt::print("  fields for [view]: {}\n  columns of a .csv: {}\n\n",
             !kind.computes        ? "the arrays of the files"
             : kind.fields.empty() ? "those of the scene"
                                   : field_choices(kind.fields, ""),
             fmt::join(kind.diagnostics, ", "));
  for (const KeyTable& table : key_tables(kind)) fmt::print("{}\n{}\n", table.header(), key_rows(table.doc));
}

int run(const std::string& name) {
  std::vector<std::string_view> names;
  for (const SolverKind& kind : solver_kinds()) names.push_back(kind.name);
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    throw UsageError("solvers {}: this program has: {}", shorten(name, 60), choices(name, names));
  for (const SolverKind& kind : solver_kinds())
    if (name.empty() || name == kind.name) print(kind);
  return 0;
}

}  // namespace

void add_solvers(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("solvers", "List the solvers, or one, with their fields, columns and keys");
  const auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "One solver: wave, lbm, nbody or data");
  command->callback([name, &chosen] { chosen = [name] { return run(*name); }; });
}

}  // namespace simreel
