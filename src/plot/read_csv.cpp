#include "plot/read_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"

namespace simreel {
namespace {

// Spreadsheets separate by semicolons where the comma is the decimal sign, and by tabs.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

bool is_number(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size();
}

// Cells may stand in quotes, where "" is one quote.
std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == separator && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

}  // namespace

std::vector<double> CsvTable::column(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw UsageError("{}: has no column {}; it has {}", file, quote(name), choices(name, known));
  }
  const auto index = static_cast<std::size_t>(found - names.begin());
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string& cell = rows[row][index];
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!cell.empty()) {
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error != std::errc() || end != cell.data() + cell.size())
        throw UsageError("{}:{}: column {} holds {}, which is no number; choose another column", file, lines[row],
                         quote(name), quote(cell));
    }
    values.push_back(value);
  }
  return values;
}

CsvTable read_csv(const std::string& file) {
  CsvTable table;
  table.file = file;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) throw UsageError("{}: there is no such file", file);
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, unknown)) throw UsageError("{}: cannot be read", file);
  if (std::filesystem::is_regular_file(file, unknown) && std::filesystem::file_size(file, unknown) > limits::text_bytes)
    throw UsageError("{}: has more than {} bytes, too many for a plot; thin its rows out", file, limits::text_bytes);
  if (file.ends_with(".toml"))
    throw UsageError("{0}: a plot draws CSV files; simreel figure {0} and simreel render {0} draw this", file);
  std::string line;
  char separator = ',';
  for (int number = 1; std::getline(in, line); ++number) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    if (table.names.empty()) separator = separator_of(line);
    std::vector<std::string> cells = cells_of(line, separator);
    if (table.names.empty()) {
      table.names = cells;
      if (!std::ranges::all_of(cells, is_number)) continue;
      for (std::size_t i = 0; i < cells.size(); ++i) table.names[i] = fmt::format("{}", i + 1);
    }
    if (cells.size() != table.names.size())
      throw UsageError("{}:{}: has {} cells, and the first line names {}", file, number, cells.size(),
                       table.names.size());
    table.rows.push_back(std::move(cells));
    table.lines.push_back(number);
  }
  if (in.bad()) throw UsageError("{}: cannot be read", file);
  if (table.rows.empty())
    throw UsageError(
        "{}: holds no rows below a line of names, so there is nothing to plot; -o x.csv writes such a file", file);
  // Other errors quote the file, and only a table is to be quoted.
  if (std::ranges::none_of(table.rows, [](const auto& row) { return std::ranges::any_of(row, is_number); }))
    throw UsageError("{}: holds no numbers, so there is nothing to plot", file);
  return table;
}

}  // namespace simreel
