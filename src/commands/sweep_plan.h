#pragma once
// Which runs a sweep has: --over and --rows -> values of keys, and the names of each run's outputs.

#include <cstddef>
#include <string>
#include <vector>

namespace simreel {

inline constexpr std::size_t max_sweep_runs = 100'000;

// Keys that change together, and their values in each row as --set takes them.
struct SweepTable {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> rows;  // at least one, each as long as `keys`
};

// "solver.viscosity=0.01,0.02", "=0:1:5" (five from 0 to 1) or "=log:1e-3:1:4". Commas within quotes and brackets
// belong to a value. Throws UsageError.
SweepTable parse_over(const std::string& over);

// A CSV file: keys in its first line, and a row of values for each run. Throws UsageError.
SweepTable read_rows(const std::string& file);

// Every row of one with every row of the others, the last varying fastest; or, zipped, the first rows together, then
// the second ones. Throws UsageError for a key that is given twice, tables of other lengths, and more than
// max_sweep_runs.
SweepTable combined(const std::vector<SweepTable>&, bool zipped);

// The name of an output with values instead of "{solver.viscosity}". A value becomes a part of one component: without
// the quotes around it, and with "_" for every sign but letters, digits, bytes beyond ASCII and "+-.=_", and for a dot
// in front. Throws UsageError for what stands in braces and is no key.
std::string filled(const std::string& name, const std::vector<std::string>& keys, const std::vector<std::string>& row);

// A value as a table and a title show it: a text without its quotes.
std::string shown_value(const std::string& value);

// A line of a CSV file, with its end, as csv_cells (plot/read_csv.h) reads it: printable, and line ends are blanks.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace simreel
