#pragma once
// A table with names in its first line, as `simreel render -o x.csv` and `simreel bench --csv` write them, or as other
// programs do: separated by commas, semicolons, tabs or blanks, with the decimal comma, with the names after # or
// none. Columns without names are called 1, 2, ...

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cf_time.h"

namespace simreel {

struct CsvTable {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;  // each as long as `names`
  std::vector<int> lines;                      // of each row in the file, from 1
  char separator = ',';
  std::string group = {};  // of split_by

  // The numbers of a column; NaN for an empty cell; of dates (ISO 8601, in UTC) the days since 1970. Throws
  // UsageError for a name that the table lacks, with the nearest one, and for a cell that is not a number, with file
  // and line.
  std::vector<double> column(const std::string& name) const;
  // Whether it holds dates: the first cell that is not empty says so. False for a name that the table lacks.
  bool has_dates(const std::string& name) const;
  // The place of a column; throws UsageError as `column`.
  std::size_t index_of(const std::string& name) const;
};

// A table for each value of a column, in the order in which they come first; its group is "viscosity = 0.01" for a
// column solver.viscosity. Throws UsageError for a name that the table lacks, and for more than 50 values.
std::vector<CsvTable> split_by(const CsvTable&, const std::string& name);

// How columns along one axis count dates, in days since 1970; unset: they hold numbers. Throws UsageError where some
// hold dates and others numbers. Each is a table and a name.
std::optional<CfTime> dates_along(const std::vector<std::pair<const CsvTable*, std::string>>& columns);

// The cells of a line, without blanks around them; ' ' separates as often as it stands there. A cell may stand in
// quotes, where "" is one quote.
std::vector<std::string> csv_cells(std::string_view line, char separator);

// Throws UsageError for a file that cannot be read, has no rows or rows of another length than the first line.
CsvTable read_csv(const std::string& file);

}  // namespace simreel
