#include "plot/read_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"

namespace simreel {
namespace {

constexpr char blanks = ' ';

// Spreadsheets separate by semicolons and tabs where the comma is the decimal sign.
char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ','})
    if (line.find(separator) != std::string_view::npos) return separator;
  return trim(line).find(' ') != std::string_view::npos ? blanks : ',';
}

// As programs of all kinds write it: 1.5, 1,5 where another sign separates, and 1.5d0 of Fortran.
std::optional<double> number_of(std::string cell, char separator) {
  if (separator != ',' && std::ranges::count(cell, ',') == 1 && cell.find('.') == std::string::npos)
    std::ranges::replace(cell, ',', '.');
  if (cell.find_first_of("0123456789") != std::string::npos)
    for (char& c : cell)
      if (c == 'd' || c == 'D') c = 'e';
  if (cell.starts_with('+')) cell.erase(0, 1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return {};
  return value;
}

// Seconds since 1970 of "2024-02-29", "2024-02-29 12:30" and "2024-02-29T12:30:15.5Z".
std::optional<double> date_of(std::string_view cell) {
  if (cell.ends_with('Z')) cell.remove_suffix(1);
  int number[5] = {0, 1, 1, 0, 0};
  double second = 0;
  constexpr std::string_view before = "--T:";
  std::size_t parts = 0;
  for (; parts < 5; ++parts) {
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number[parts]);
    if (error != std::errc()) return {};
    cell.remove_prefix(static_cast<std::size_t>(end - cell.data()));
    if (cell.empty()) break;
    if (parts == 4) {
      if (cell[0] != ':' ||
          std::from_chars(cell.data() + 1, cell.data() + cell.size(), second).ptr != cell.data() + cell.size())
        return {};
      break;
    }
    if (cell[0] != before[parts] && !(parts == 2 && cell[0] == ' ')) return {};
    cell.remove_prefix(1);
  }
  const std::chrono::year_month_day day{std::chrono::year(number[0]),
                                        std::chrono::month(static_cast<unsigned>(number[1])),
                                        std::chrono::day(static_cast<unsigned>(number[2]))};
  if (parts < 2 || parts == 3 || !day.ok() || number[0] < 1000) return {};
  return 86400.0 * static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count()) + 3600 * number[3] +
         60 * number[4] + second;
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  if (separator == blanks) {
    cells.clear();
    for (line = trim(line); !line.empty(); line = trim(line)) {
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      cells.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return cells;
  }
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"' && (quoted || trim(cells.back()).empty()))
      quoted = !quoted;
    else if (c == separator && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

std::vector<double> CsvTable::column(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw UsageError("{}: has no column {}; it has {}", file, quote(name), choices(name, known));
  }
  const auto index = static_cast<std::size_t>(found - names.begin());
  std::vector<double> values;
  const double first = first_date(name).value_or(0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string& cell = rows[row][index];
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!cell.empty() && cell != "NA" && cell != "-" && cell != "--") {
      std::optional<double> number = number_of(cell, separator);
      if (const auto date = date_of(cell); first != 0 && date) number = (*date - first) / 86400;
      if (!number)
        throw UsageError("{}:{}: column {} holds {}, which is not a {}; choose another column", file, lines[row],
                         quote(name), quote(cell), first != 0 ? "date" : "number");
      value = *number;
    }
    values.push_back(value);
  }
  return values;
}

std::optional<double> CsvTable::first_date(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end() || rows.empty()) return {};
  const std::string& cell = rows.front()[static_cast<std::size_t>(found - names.begin())];
  return number_of(cell, separator) ? std::nullopt : date_of(cell);
}

std::string CsvTable::label(const std::string& name) const {
  const std::optional<double> date = first_date(name);
  if (!date) return name;
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(*date))));
  const std::chrono::year_month_day first{day};
  const auto minutes = static_cast<int>((*date - 86400.0 * static_cast<double>(day.time_since_epoch().count())) / 60);
  std::string text = fmt::format("days since {}-{:02}-{:02}", static_cast<int>(first.year()),
                                 static_cast<unsigned>(first.month()), static_cast<unsigned>(first.day()));
  return minutes == 0 ? text : fmt::format("{} {:02}:{:02}", text, minutes / 60, minutes % 60);
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
  std::string line, comment;  // the last one before the first row, which may hold the names
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (trim(line).empty()) continue;
    if (trim(line).starts_with('#') || trim(line).starts_with('%')) {
      if (table.names.empty()) comment = trim(trim(line).substr(1));
      continue;
    }
    const bool first = table.names.empty();
    if (first) table.separator = separator_of(line);
    const auto is_number = [&](const std::string& cell) { return number_of(cell, table.separator) || date_of(cell); };
    std::vector<std::string> cells = csv_cells(line, table.separator);
    if (first) {
      table.names = cells;
      if (!std::ranges::all_of(cells, is_number)) continue;
      std::vector<std::string> named = csv_cells(comment, separator_of(comment));
      if (named.size() != cells.size()) named = csv_cells(comment, blanks);
      for (std::size_t i = 0; i < cells.size(); ++i)
        table.names[i] = named.size() == cells.size() ? named[i] : fmt::format("{}", i + 1);
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
  if (std::ranges::none_of(table.rows, [&](const auto& row) {
        return std::ranges::any_of(
            row, [&](const std::string& cell) { return number_of(cell, table.separator).has_value(); });
      }))
    throw UsageError("{}: holds no numbers, so there is nothing to plot", file);
  return table;
}

}  // namespace simreel
