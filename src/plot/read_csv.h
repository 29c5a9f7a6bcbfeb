#pragma once
// A table of comma-separated values with names in its first line, as `simreel render -o x.csv` and `simreel bench
// --csv` write them. A first line with semicolons or tabs and no comma makes these the separators; where it holds
// numbers only, the columns have the names 1, 2, ...

#include <string>
#include <vector>

namespace simreel {

struct CsvTable {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;  // each as long as `names`
  std::vector<int> lines;                      // of each row in the file, from 1

  // The numbers of a column; NaN for an empty cell. Throws UsageError for a name that the table lacks, with the nearest
  // one, and for a cell that is no number, with file and line.
  std::vector<double> column(const std::string& name) const;
};

// Throws UsageError for a file that cannot be read, has no rows or rows of another length than the first line.
CsvTable read_csv(const std::string& file);

}  // namespace simreel
