#include "commands/sweep_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/escape.h"
#include "base/input_file.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/text.h"
#include "plot/read_csv.h"

namespace simreel {
namespace {

void refuse_control_characters(const std::string& text, const std::string& where) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw UsageError("{}: a key or a value has a control character, such as a line end; take it out", where);
}

// At commas that are not within quotes or brackets.
std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> list(1);
  char quoted = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' && quoted == 0 && depth == 0) {
      list.emplace_back();
      continue;
    }
    list.back() += c;
    if (quoted == '"' && c == '\\' && i + 1 < text.size())
      list.back() += text[++i];
    else if (quoted != 0)
      quoted = c == quoted ? 0 : quoted;
    else if (c == '"' || c == '\'')
      quoted = c;
    else if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}')
      --depth;
  }
  for (std::string& one : list) one = std::string(trim(one));
  return list;
}

// "0:1:5" and "log:1e-3:1:4"; empty for what is none.
std::vector<std::string> range_of(const std::string& over, std::string_view text) {
  const bool log = text.starts_with("log:");
  std::string_view rest = text.substr(log ? 4 : 0);
  const auto next = [&] {
    const std::optional<double> number = take_leading<double>(rest);
    if (!rest.empty() && rest[0] != ':') return std::optional<double>();
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    return number;
  };
  const std::optional<double> start = next(), stop = next();
  const std::string_view last = rest;
  const bool three = start && stop && take_leading<double>(rest) && rest.empty();
  if (!three && !log) return {};
  const std::size_t count = three ? parse_number<std::size_t>(last).value_or(0) : 0;
  const bool finite = three && std::isfinite(*start) && std::isfinite(*stop);
  if (!finite || count < 2 || count > max_sweep_runs || (log && !(*start > 0 && *stop > 0)))
    throw UsageError("--over {}: write FIRST:LAST:COUNT, a count from 2 to {}{}", over, max_sweep_runs,
                     log ? ", and after log: numbers above 0: log:0.001:1:4" : ": 0:1:5");
  std::vector<std::string> list;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double value =
        log ? std::exp(std::log(*start) * (1 - share) + std::log(*stop) * share) : *start * (1 - share) + *stop * share;
    // Twelve digits are enough to tell values apart, and leave out how they were rounded.
    list.push_back(fmt::format("{:.12g}", i == 0 ? *start : i + 1 == count ? *stop : value));
  }
  return list;
}

bool is_quoted(const std::string& value) {
  return value.size() > 1 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'');
}

}  // namespace

SweepTable parse_over(const std::string& over) {
  refuse_control_characters(over, "--over");
  const std::size_t sign = over.find('=');
  const std::string key(trim(over.substr(0, sign)));
  const std::string_view text = sign == std::string::npos ? "" : trim(std::string_view(over).substr(sign + 1));
  if (key.empty() || text.empty())
    throw UsageError("--over {}: write a key and its values, as in --over solver.viscosity=0.01,0.02", over);
  std::vector<std::string> values = range_of(over, text);
  if (values.empty()) values = list_of(std::string(text));
  SweepTable table{{key}, {}};
  for (std::string& value : values) {
    std::string_view rest = value;
    if (rest.starts_with("lin:") || (take_leading<double>(rest) && rest.starts_with(':')))
      throw UsageError("--over {}: write FIRST:LAST:COUNT, as 0:1:5, or log:FIRST:LAST:COUNT; a text stands in quotes",
                       over);
    if (value.empty()) throw UsageError("--over {}: a value is missing next to a comma", over);
    table.rows.push_back({std::move(value)});
  }
  return table;
}

SweepTable read_rows(const std::string& file) {
  if (const std::string why = refusal_to_read(file); !why.empty()) throw UsageError("{}: {}", file, why);
  std::ifstream in(file, std::ios::binary);
  std::string text(limits::text_bytes + 1, '\0');
  in.read(text.data(), std::ssize(text));
  if (in.gcount() == 0) throw UsageError("{}: cannot be read, or is empty", file);
  if (in.gcount() == std::ssize(text)) throw UsageError("{}: has more than {} bytes", file, limits::text_bytes);
  text.resize(static_cast<std::size_t>(in.gcount()));
  SweepTable table;
  int number = 0;
  std::string_view body = text;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  for (const std::string_view line : lines_of(body)) {
    ++number;
    if (trim(line).empty()) continue;
    if (std::ranges::count(line, '"') % 2 != 0)
      throw UsageError("{}:{}: a quote is not closed; within a text in quotes it is doubled", file, number);
    std::vector<std::string> cells = csv_cells(line, ',');
    for (const std::string& cell : cells) refuse_control_characters(cell, fmt::format("{}:{}", file, number));
    if (table.keys.empty()) {
      table.keys = std::move(cells);
      continue;
    }
    if (const auto empty = std::ranges::find(cells, ""); cells.size() == table.keys.size() && empty != cells.end())
      throw UsageError("{}:{}: the cell of {} is empty; write a value", file, number,
                       table.keys[empty - cells.begin()]);
    if (cells.size() != table.keys.size())
      throw UsageError("{}:{}: the first line names {} keys, so {} values stand in each row; quote one with a comma",
                       file, number, table.keys.size(), table.keys.size());
    table.rows.push_back(std::move(cells));
  }
  if (table.rows.empty() || std::ranges::count(table.keys, "") > 0)
    throw UsageError("{}: write keys in the first line, solver.viscosity,solver.velocity, and below it a row a run",
                     file);
  return table;
}

SweepTable combined(const std::vector<SweepTable>& tables, bool zipped) {
  SweepTable all;
  std::size_t count = zipped ? tables.front().rows.size() : 1;
  for (const SweepTable& table : tables) {
    for (const std::string& key : table.keys) {
      if (std::ranges::find(all.keys, key) != all.keys.end())
        throw UsageError("{} is given twice; name all of its values once", key);
      all.keys.push_back(key);
    }
    if (zipped && table.rows.size() != count)
      throw UsageError("--zip takes lists of one length, but {} has {} values and {} has {}",
                       fmt::join(tables.front().keys, ","), count, fmt::join(table.keys, ","), table.rows.size());
    if (!zipped) count *= table.rows.size();
    if (count > max_sweep_runs)
      throw UsageError("a sweep has at most {} runs, and this one has more; leave values out", max_sweep_runs);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string>& row = all.rows.emplace_back();
    std::size_t block = count;
    for (const SweepTable& table : tables) {
      block /= zipped ? 1 : table.rows.size();
      const auto& own = table.rows[zipped ? i : i / block % table.rows.size()];
      row.insert(row.end(), own.begin(), own.end());
    }
  }
  return all;
}

std::string filled(const std::string& name, const std::vector<std::string>& keys, const std::vector<std::string>& row) {
  std::string text;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t open = std::min(name.find('{', at), name.size()), close = name.find('}', open);
    text += name.substr(at, open - at);
    if (open == name.size()) break;
    const std::string key = name.substr(open + 1, std::min(close, name.size()) - open - 1);
    const auto found = std::ranges::find(keys, key);
    if (close == std::string::npos || found == keys.end())
      throw UsageError("{}: {{{}}} is none of the keys of the sweep; there are {}", name, key, fmt::join(keys, ", "));
    std::string value = row[static_cast<std::size_t>(found - keys.begin())];
    if (is_quoted(value)) value = value.substr(1, value.size() - 2);
    if (value.empty() || value[0] == '.') value.insert(0, "_");
    for (unsigned char c : value)
      text += c >= 0x80 || std::isalnum(c) != 0 ||
                      std::string_view("+-.=_").find(static_cast<char>(c)) != std::string_view::npos
                  ? static_cast<char>(c)
                  : '_';
    at = close + 1;
  }
  return text;
}

std::string shown_value(const std::string& value) {
  if (!is_quoted(value)) return value;
  const auto text = nlohmann::json::parse(value, nullptr, false);  // TOML's escapes but for those of eight digits
  return text.is_string() ? text.get<std::string>() : value.substr(1, value.size() - 2);
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    const std::string text = printable(cell);
    const bool plain = text.find_first_of(",;\"#%\t ") == std::string::npos;
    if (!plain) line += '"';
    for (const char c : text) line += c == '"' ? "\"\"" : c == '\n' || c == '\r' ? " " : std::string(1, c);
    if (!plain) line += '"';
  }
  return line + '\n';
}

}  // namespace simreel
