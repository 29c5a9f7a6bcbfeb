#include "plot/read_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "base/limits.h"
#include "base/numbers.h"
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
  return parse_number<double>(cell);
}

// Seconds since 1970 of dates of ISO 8601 in the years 1000 to 9999: 2024-02-29, 2024/02/29 or
// 2024-02; then after a blank or T a time: 12:30, 12:30:15.5, 24:00 or with a leap second; then Z or +02:00.
std::optional<double> date_of(std::string_view text) {
  using namespace std::chrono;
  bool good = true;
  const auto skip = [&](std::string_view any) {
    const bool found = !text.empty() && any.find(text[0]) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  const auto number = [&](std::size_t min, std::size_t max, int low, int high) {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    int value = low;
    good = good && count >= min && count <= max;
    if (good) std::from_chars(text.data(), text.data() + count, value);
    good = good && value >= low && value <= high;
    text.remove_prefix(count);
    return value;
  };
  const year y{number(4, 4, 1000, 9999)};
  const std::string between(text.substr(0, 1));
  good = good && skip("-/");
  const bool alone = text.size() == 2;  // a month
  const year_month m = y / number(1, 2, 1, 12);
  good = good && (alone || skip(between));
  const year_month_day date = m / (alone ? 1 : number(1, 2, 1, 31));
  double seconds = 0;
  if (good && skip("T ")) {
    const int hour = number(1, 2, 0, 24);
    good = good && skip(":");
    const int minute = number(2, 2, 0, 59);
    if (skip(":")) {
      seconds = number(2, 2, 0, minute % 30 == 29 ? 60 : 59);
      const char* const fraction = text.data();
      if (skip(".,")) {
        const int part = number(1, 9, 0, 999'999'999);
        seconds += part / std::pow(10, text.data() - fraction - 1);
      }
    }
    const int whole = 3600 * hour + 60 * minute;
    good = good && (hour < 24 || whole + seconds == 86400);
    skip(" ");
    const int sign = text.starts_with('-') ? 1 : -1;
    seconds += whole;
    if (!skip("Z") && skip("+-")) {
      const bool joined = text.size() == 4;
      const int zone = number(2, joined ? 4 : 2, 0, joined ? 1459 : 14);
      good = good && (!joined || zone % 100 < 60);
      seconds += sign * (joined ? 3600 * (zone / 100) + 60 * (zone % 100) : 3600 * zone);
      if (skip(":")) seconds += sign * 60 * number(2, 2, 0, 59);
    }
  }
  if (!good || !date.ok() || !text.empty()) return {};
  return 86400.0 * static_cast<double>(sys_days(date).time_since_epoch().count()) + seconds;
}

bool is_empty(std::string_view cell) { return cell.empty() || cell == "NA" || cell == "-" || cell == "--"; }

// Whether a cell looks like a date, as 29/02/2024, 2024-02-30 and 2024-W09-4 do.
bool resembles_date(std::string_view cell) {
  const std::size_t digits = std::min(cell.find_first_not_of("0123456789"), cell.size());
  return digits > 0 && digits < cell.size() && std::string_view("-/.").find(cell[digits]) != std::string_view::npos &&
         cell.find(cell[digits], digits + 1) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  if (separator == blanks) {
    const std::vector<std::string_view> words = words_in(line, " \t\r");
    return {words.begin(), words.end()};
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

std::size_t CsvTable::index_of(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  // Only a line of names is to be quoted, or the numbers that stand for them.
  const auto numbers =
      std::ranges::count_if(names, [&](const std::string& one) { return number_of(one, separator).has_value(); });
  if (numbers > 0 && numbers < std::ssize(names))
    throw UsageError("{}: has no column {}; its first line holds names and numbers", file, quote(name));
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw UsageError("{}: has no column {}; it has {}", file, quote(name), choices(name, known));
}

std::vector<CsvTable> split_by(const CsvTable& table, const std::string& name) {
  constexpr std::size_t most = 50;
  const std::size_t index = table.index_of(name);
  std::vector<CsvTable> parts;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string group = fmt::format("{} = {}", name.substr(name.rfind('.') + 1), table.rows[row][index]);
    auto part = std::ranges::find(parts, group, &CsvTable::group);
    if (part == parts.end()) {
      if (parts.size() == most)
        throw UsageError("{}: the column {} has more than {} values, too many for a line each", table.file, quote(name),
                         most);
      part = parts.insert(parts.end(), {table.file, table.names, {}, {}, table.separator, group});
    }
    part->rows.push_back(table.rows[row]);
    part->lines.push_back(table.lines[row]);
  }
  return parts;
}

std::vector<double> CsvTable::column(const std::string& name) const {
  const std::size_t index = index_of(name);
  std::vector<double> values;
  const bool dates = has_dates(name);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string& cell = rows[row][index];
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!is_empty(cell)) {
      const std::optional<double> number = dates ? date_of(cell) : number_of(cell, separator);
      if (!number)
        throw UsageError(
            "{}:{}: column {} holds {}, which is not a {}; {}", file, lines[row], quote(name), quote(cell),
            dates ? "date" : "number",
            resembles_date(cell) ? "dates are written as 2024-02-29 or 2024-02-29 12:30" : "choose another column");
      value = dates ? *number / 86400 : *number;
    }
    values.push_back(value);
  }
  return values;
}

bool CsvTable::has_dates(const std::string& name) const {
  const auto column = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (column == names.size()) return false;
  const auto row = std::ranges::find_if(rows, [&](const auto& cells) { return !is_empty(cells[column]); });
  return row != rows.end() && !number_of((*row)[column], separator) && date_of((*row)[column]);
}

std::optional<CfTime> dates_along(const std::vector<std::pair<const CsvTable*, std::string>>& columns) {
  const auto dated = [](const auto& column) { return column.first->has_dates(column.second); };
  const auto one = std::ranges::find_if(columns, dated), other = std::ranges::find_if_not(columns, dated);
  if (one == columns.end()) return {};
  if (other != columns.end())
    throw UsageError("{}: column {} holds dates, and {} of {} numbers; plot them along different axes, or apart",
                     one->first->file, quote(one->second), quote(other->second), other->first->file);
  return parse_cf_time("days since 1970-01-01", "proleptic_gregorian");
}

CsvTable read_csv(const std::string& file) {
  CsvTable table;
  table.file = file;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown))
    throw UsageError("{}: there is no such file{}", file,
                     resembles_date(file) || parse_number<double>(file)
                         ? "; the ends of an axis stand with a comma, as in --xlim 0,2.5"
                         : "");
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
