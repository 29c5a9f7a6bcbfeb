#include "source/nbody/bodies_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/mistakes.h"

namespace simreel {
namespace {

constexpr std::size_t header_bytes = 32;
constexpr std::string_view columns[] = {"x", "y", "z", "vx", "vy", "vz", "mass", "group", "name"};
constexpr std::size_t z_column = 2, vz_column = 5, mass_column = 6, group_column = 7, name_column = 8, ignored = 9;
constexpr std::size_t in_a_plane[] = {0, 1, 3, 4, 6};

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trim(cell.substr(1, cell.size() - 2)) : cell;
}

// Separators inside quotes do not separate. Of blanks any number is one separator.
std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  bool quoted = false;
  for (std::size_t start = 0, end = 0; end <= line.size(); ++end) {
    if (end < line.size() && line[end] == '"') quoted = !quoted;
    if (end < line.size() && (line[end] != separator || quoted)) continue;
    const std::string_view cell = trim(line.substr(start, end - start));
    if (separator != ' ' || !cell.empty()) cells.push_back(unquoted(cell));
    start = end + 1;
  }
  return cells;
}

// What separates the values of a line: the first of these that it has outside quotes.
char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ',', ' '})
    if (split(line, separator).size() > 1) return separator;
  return ',';
}

std::string_view name_of(char separator) {
  switch (separator) {
    case ';': return "semicolons";
    case '\t': return "tabs";
    default: return "blanks";
  }
}

// A whole cell as a number, also one with Fortran's exponent, 1d0, or, where no commas separate, a decimal comma.
std::optional<double> number_in(std::string_view cell, char separator) {
  std::string digits(cell.starts_with('+') && !cell.starts_with("+-") ? cell.substr(1) : cell);
  if (separator != ',' && digits.find('.') == std::string::npos) std::ranges::replace(digits, ',', '.');
  std::ranges::replace_if(
      digits, [](char c) { return c == 'd' || c == 'D'; }, 'e');
  return parse_number<double>(digits);
}

void check_mass(double mass, const BodyLimits& limits, const auto& fail) {
  if (mass != 0 && mass < limits.min_mass)
    fail(fmt::format("mass is {}; it must be 0, or at least {:.3g}", mass, limits.min_mass));
}

class CsvReader {
 public:
  CsvReader(const std::filesystem::path& path, std::string_view text, const BodyLimits& limits,
            std::vector<std::string>& remarks)
      : path_(path), text_(text), limits_(limits), remarks_(remarks) {}

  Bodies read() {
    Bodies bodies;
    std::vector<std::size_t> meaning;  // for each column, its index in `columns`
    while (next_line()) {
      if (meaning.empty()) {
        first_ = false;
        find_separator();
        const std::vector<std::string_view> cells = split(line_, separator_);
        const auto words = std::ranges::count_if(
            cells, [&](std::string_view cell) { return !number_in(cell, separator_).has_value(); });
        if (words <= 1) meaning = columns_in_comments(cells.size());  // of which one may be names
        if (words > 0 && meaning.empty()) {
          meaning = read_header(cells);
          continue;
        }
        if (meaning.empty()) meaning = columns_without_header(cells.size());
      }
      try {
        read_body(meaning, bodies);
      } catch (const UsageError& error) {
        if (mistakes_.empty()) throw;
        mistakes_.emplace_back(error.what());
        break;
      }
    }
    if (!mistakes_.empty()) throw SceneMistakes(mistakes_, path_.string());
    if (meaning.empty()) fail("no header; the first line names the columns: x,y,z,vx,vy,vz,mass");
    if (bodies.size() == 0) fail("no bodies after the header");
    return bodies;
  }

 private:
  // The next line that is not ignored.
  bool next_line() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = trim(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (!line_.empty() && line_.front() != '#' && line_.front() != '%') return true;
      const std::size_t text = line_.find_first_not_of("#% \t");
      if (text != std::string_view::npos && first_) comments_.emplace_back(number_, line_.substr(text));
    }
    return false;
  }

  void find_separator() {
    separator_ = separator_of(line_);
    if (separator_ == ',') return;
    remark(fmt::format("{} separate the columns, not commas{}", name_of(separator_),
                       separator_ != ' ' ? ", so a comma in a number is a decimal point" : ""));
  }

  // The names after # that numpy.savetxt and Fortran programs write, perhaps after other words: "# columns: x y z".
  std::vector<std::size_t> columns_in_comments(std::size_t count) {
    const int here = number_;
    for (const auto& [number, text] : comments_) {
      std::vector<std::string_view> names = split(text, separator_of(text));
      const auto known = [](std::string_view name) { return std::ranges::find(columns, name) != std::end(columns); };
      const auto of_these = static_cast<std::size_t>(std::ranges::count_if(names, known));
      if (of_these < 2 || 2 * of_these < names.size()) continue;
      if (names.size() > count && std::all_of(names.end() - static_cast<std::ptrdiff_t>(count), names.end(), known))
        names.erase(names.begin(), names.end() - static_cast<std::ptrdiff_t>(count));
      number_ = number;
      if (names.size() != count)
        fail(fmt::format("it names {} columns, and line {} holds {} values", names.size(), here, count));
      std::vector<std::size_t> meaning = read_header(names);
      number_ = here;
      return meaning;
    }
    return {};
  }

  // The columns of a file whose first line holds numbers.
  std::vector<std::size_t> columns_without_header(std::size_t count) {
    // Other names than these may mean another order. Numbers are a body that was taken out.
    for (const auto& [number, text] : comments_) {
      const char separator = separator_of(text);
      const std::vector<std::string_view> names = split(text, separator);
      const bool numbers =
          std::ranges::all_of(names, [&](std::string_view name) { return number_in(name, separator).has_value(); });
      if (names.size() != count || numbers || (separator == ' ' && separator_ != ' ')) continue;
      number_ = number;
      fail(
          "it seems to name the columns, but not as x, y, z, vx, vy, vz, mass, group and name; name them so, or take "
          "this line away");
    }
    const bool flat = count == std::size(in_a_plane);
    if (!flat && count != group_column && count != name_column)
      fail(fmt::format("no header, and {} column{}; the first line names the columns: x,y,z,vx,vy,vz,mass", count,
                       count == 1 ? "" : "s"));
    std::vector<std::size_t> meaning(count);
    std::iota(meaning.begin(), meaning.end(), 0);
    if (flat) std::ranges::copy(in_a_plane, meaning.begin());
    std::vector<std::string_view> names;
    for (const std::size_t column : meaning) names.push_back(columns[column]);
    remark(fmt::format("no header; the columns are taken as {}", fmt::join(names, ", ")));
    return meaning;
  }

  std::vector<std::size_t> read_header(const std::vector<std::string_view>& names) {
    std::vector<std::size_t> meaning;
    std::vector<std::string_view> others;
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(columns, name);
      const auto column = static_cast<std::size_t>(found - std::begin(columns));
      if (column < ignored && std::ranges::find(meaning, column) != meaning.end())
        fail(fmt::format("column {} twice", quote(name)));
      if (column == ignored && !name.empty()) others.push_back(name);
      meaning.push_back(column);
    }
    const auto has = [&](std::size_t column) { return std::ranges::find(meaning, column) != meaning.end(); };
    const bool flat = !has(z_column) && !has(vz_column);
    for (std::size_t column = 0; column < group_column; ++column) {
      if (has(column) || (flat && (column == z_column || column == vz_column))) continue;
      for (const std::string_view name : others)
        if (nearest(name, columns) == columns[column] || others.size() == names.size()) fail(unknown(name, names));
      // The numbers below the other columns may have mistakes, too.
      mistakes_.push_back(
          placed(fmt::format("no column \"{}\"; the header needs x, y, vx, vy, mass and, unless the bodies lie in a "
                             "plane, z and vz",
                             columns[column])));
    }
    if (!mistakes_.empty()) return meaning;
    if (flat) remark("no columns z and vz, so the bodies lie in the plane z = 0");
    std::vector<std::string> shown;
    for (const std::string_view name : others) shown.push_back(shorten(name, 40));
    if (!shown.empty())
      remark(fmt::format("not read: column{} {}", shown.size() == 1 ? "" : "s", fmt::join(shown, ", ")));
    return meaning;
  }

  // Quotes only files that are meant for this: a scene may name any file, and its messages may be public.
  static std::string unknown(std::string_view name, const std::vector<std::string_view>& all) {
    if (std::ranges::none_of(all,
                             [](std::string_view n) { return std::ranges::find(columns, n) != std::end(columns); }))
      return "no header and no numbers; the first line names the columns: x,y,z,vx,vy,vz,mass";
    const std::string_view near = nearest(name, columns);
    return fmt::format("unknown column {}{}; there are x, y, z, vx, vy, vz, mass and, if wanted, group and name",
                       quote(shorten(name, 40)), near.empty() ? "" : fmt::format(", did you mean \"{}\"?", near));
  }

  void read_body(const std::vector<std::size_t>& meaning, Bodies& bodies) {
    const std::vector<std::string_view> cells = split(line_, separator_);
    if (cells.size() != meaning.size())
      fail(fmt::format("{} values, but the header names {} columns", cells.size(), meaning.size()));
    double value[std::size(columns)] = {};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (meaning[i] == ignored) continue;
      if (meaning[i] == name_column) {
        bodies.name.emplace_back(cells[i]);
        continue;
      }
      const std::optional<double> number = number_in(cells[i], separator_);
      value[meaning[i]] = number.value_or(0);
      if (!number || !(std::abs(*number) <= limits_.largest))
        fail(fmt::format("{} is {}, not a finite number of at most {:.3g}", columns[meaning[i]],
                         quote(shorten(cells[i], 40)), limits_.largest));
    }
    if (mistakes_.empty()) check_mass(value[mass_column], limits_, [&](const std::string& message) { fail(message); });
    const double group = value[group_column];
    if (group < 0 || group > 255 || group != std::floor(group))
      fail(fmt::format("group is {}; it must be a whole number from 0 to 255", group));
    bodies.add({value[0], value[1], value[2], value[mass_column]}, {value[3], value[4], value[5], 0},
               static_cast<int>(group));
  }

  std::string placed(const std::string& message) const {
    return fmt::format("{}:{}: {}", path_.string(), std::max(number_, 1), message);
  }
  [[noreturn]] void fail(const std::string& message) const { throw UsageError(placed(message)); }

  void remark(const std::string& text) { remarks_.push_back(fmt::format("{}:{}: {}", path_.string(), number_, text)); }

  const std::filesystem::path& path_;
  std::string_view text_, line_;
  const BodyLimits& limits_;
  std::vector<std::string>& remarks_;
  std::vector<std::string> mistakes_;                       // of the header
  std::vector<std::pair<int, std::string_view>> comments_;  // their lines and texts, before the first line
  bool first_ = true;                                       // whether that is still to come
  char separator_ = ',';
  int number_ = 0;  // of line_, from 1
};

class TipsyReader {
 public:
  TipsyReader(const std::filesystem::path& path, std::string_view bytes, std::endian order)
      : path_(path), bytes_(bytes), order_(order) {}

  // Whether this is the byte order in which the header makes sense.
  static bool fits(std::string_view bytes, std::endian order) {
    if (bytes.size() < header_bytes) return false;
    const TipsyReader reader({}, bytes, order);
    return reader.number(12) == 3 && reader.number(8) >= 0 && reader.number(16) >= 0 && reader.number(20) >= 0 &&
           reader.number(24) >= 0;
  }

  Bodies read() const {
    struct Kind {
      std::size_t count, bytes;
    };
    const auto count = [&](std::size_t offset) { return static_cast<std::size_t>(number(offset)); };
    const Kind kinds[] = {{count(16), 48}, {count(20), 36}, {count(24), 44}};
    const std::size_t bodies_named = count(8), bodies_counted = kinds[0].count + kinds[1].count + kinds[2].count;
    if (bodies_named != bodies_counted)
      fail(8, fmt::format("the header says {} bodies, but {} gas, {} dark and {} star particles", bodies_named,
                          kinds[0].count, kinds[1].count, kinds[2].count));
    if (bodies_counted == 0) fail(8, "the header says that there are no bodies");
    std::size_t expected = header_bytes;
    for (const Kind& kind : kinds) expected += kind.count * kind.bytes;
    if (bytes_.size() != expected)
      fail(std::min(bytes_.size(), expected),
           fmt::format("the file has {} bytes, but {} bodies as the header says would make {}", bytes_.size(),
                       bodies_counted, expected));
    Bodies bodies;
    std::size_t offset = header_bytes;
    for (int group = 0; group < 3; ++group)
      for (std::size_t i = 0; i < kinds[group].count; ++i, offset += kinds[group].bytes)
        read_body(offset, group, bodies);
    return bodies;
  }

 private:
  void read_body(std::size_t offset, int group, Bodies& bodies) const {
    float value[7];
    for (std::size_t i = 0; i < 7; ++i) {
      value[i] = std::bit_cast<float>(word(offset + 4 * i));
      if (!std::isfinite(value[i])) fail(offset + 4 * i, "not a finite number");
    }
    check_mass(static_cast<double>(value[0]), float_bodies, [&](const std::string& message) { fail(offset, message); });
    bodies.add({value[1], value[2], value[3], value[0]}, {value[4], value[5], value[6], 0}, group);
  }

  std::uint32_t word(std::size_t offset) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t place = order_ == std::endian::big ? i : 3 - i;
      value = value << 8 | static_cast<unsigned char>(bytes_[offset + place]);
    }
    return value;
  }
  std::int32_t number(std::size_t offset) const { return std::bit_cast<std::int32_t>(word(offset)); }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw UsageError("{}: byte {}: {}", path_.string(), offset, message);
  }

  std::filesystem::path path_;
  std::string_view bytes_;
  std::endian order_;
};

Bodies read_any(const std::filesystem::path& path, const BodyLimits& limits, std::vector<std::string>& remarks) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::string bytes(error ? 0 : size, '\0');
  if (error || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw UsageError("{}: cannot be read", path.string());
  for (const std::endian order : {std::endian::big, std::endian::little})
    if (TipsyReader::fits(bytes, order)) return TipsyReader(path, bytes, order).read();
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);  // a byte order mark
  // A binary file with a truncated header, or another format.
  if (bytes.find('\0') != std::string::npos)
    throw UsageError(
        "{}: byte 0: neither CSV nor Tipsy: a Tipsy file starts with 32 bytes of header that name 3 "
        "dimensions at byte 12",
        path.string());
  return CsvReader(path, bytes, limits, remarks).read();
}

}  // namespace

Bodies read_bodies_file(const std::filesystem::path& path, const BodyLimits& limits,
                        std::vector<std::string>* remarks) {
  std::vector<std::string> unheard;
  Bodies bodies = read_any(path, limits, remarks != nullptr ? *remarks : unheard);
  if (std::ranges::none_of(bodies.position, [](const Vec4<double>& q) { return q.w > 0; }))
    throw UsageError("{}: no body has a mass, so nothing pulls; at least one needs a mass above 0", path.string());
  return bodies;
}

}  // namespace simreel
