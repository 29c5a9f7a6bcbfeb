#pragma once
// Every key of a scene file, as the reads that load a scene document it.

#include <string>
#include <string_view>
#include <vector>

#include "scene/table.h"
#include "source/solver.h"

namespace simreel {

struct KeyTable {
  std::string_view kind;  // of the solver whose table it is; empty for tables that every scene may have
  TableDoc doc;

  std::string header() const;  // `[solver.rain]`, `[[solver.droplet]]`; empty for the top level
};

// The tables that kind = "..." reads: [solver] and those below it.
std::vector<KeyTable> key_tables(const SolverKind&);

// All tables in the order of a scene; those of each solver follow [solver] with its `kind`.
std::vector<KeyTable> key_tables();

// The rows of a table for a terminal: key, default, meaning and range, in columns.
std::string key_rows(const TableDoc&);

}  // namespace simreel
