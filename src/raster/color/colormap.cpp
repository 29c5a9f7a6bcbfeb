#include "raster/color/colormap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/input_file.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

constexpr std::size_t max_colors = 65536;
constexpr std::size_t max_bytes = std::size_t{16} << 20;

// The part of `text` before `mark`; `text` keeps what follows it.
std::string_view split_off(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

bool is_header(std::string_view line) {
  std::string compact;
  for (const char c : line)
    if (c != ' ' && c != '\t' && c != '"') compact += static_cast<char>(c | 0x20);  // lower case; a comma stays one
  return compact == "r,g,b" || compact == "red,green,blue";
}

struct Row {
  int line;
  std::array<double, 3> value;
};

Row parse_row(std::string_view text, std::string_view source, int line, bool first) {
  const auto columns = std::count(text.begin(), text.end(), ',') + 1;
  if (columns != 3)
    throw UsageError("{}:{}: expected 3 columns (red, green, blue) with commas between, found {}", source, line,
                     columns);
  Row row{line, {}};
  for (double& value : row.value) {
    const std::string_view word = trim(split_off(text, ','));
    value = parse_number<double>(word).value_or(NAN);
    if (!std::isfinite(value))
      throw UsageError("{}:{}: {} is not a number", source, line,
                       first ? "a cell of the first line" : quote(shorten(word, 40)));
  }
  return row;
}

std::string read_file(const std::string& path, const std::string& place) {
  const auto fail = [&](const std::string& why) {
    throw UsageError("{}{}: cannot read the colormap: {}; give a CSV file with the columns r,g,b, or one of {}", place,
                     path, why,
                     fmt::join(
                         [] {
                           std::vector<std::string_view> names;
                           for (const EmbeddedColormap& map : embedded_colormaps()) names.push_back(map.name);
                           return names;
                         }(),
                         ", "));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("it is a folder");
  if (const std::string why = refusal_to_read(path); !why.empty()) fail(why);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(std::strerror(errno));
  std::string text(max_bytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get())) fail(std::strerror(errno));
  if (text.size() > max_bytes) fail("it is larger than 16 MiB");
  return text;
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".csv") || name.ends_with(".CSV");
}

const EmbeddedColormap* find_embedded(std::string_view name) {
  const auto maps = embedded_colormaps();
  std::string_view package;  // in the line that says where a map comes from; matplotlib's names have it in front
  for (const auto& [prefix, words] : {std::pair("cmo.", "(cmocean)"), {"cmc.", "(Scientific colour maps)"}})
    if (name.starts_with(prefix)) package = words, name.remove_prefix(4);
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const EmbeddedColormap& map) {
    return map.name == name && std::string_view(map.csv).substr(0, 200).find(package) != std::string_view::npos;
  });
  return found == maps.end() ? nullptr : &*found;
}

// The parsed name of a map: a compiled-in map or a path, possibly reversed.
struct Named {
  std::string base;
  bool reversed;
};

Named take_apart(const std::string& name) {
  const auto known = [](const std::string& text) {
    std::error_code ignored;
    return is_path(text) ? std::filesystem::exists(text, ignored) : find_embedded(text) != nullptr;
  };
  const bool reversed = name.ends_with("_r") && !known(name);
  return {reversed ? name.substr(0, name.size() - 2) : name, reversed};
}

}  // namespace

std::vector<Color> parse_colormap(std::string_view csv, std::string_view source) {
  if (csv.starts_with("\xef\xbb\xbf")) csv.remove_prefix(3);  // the byte order mark that spreadsheets write
  std::vector<Row> rows;
  bool fractions = false;
  double greatest = 0;
  for (int line = 1; !csv.empty(); ++line) {
    std::string_view whole = split_off(csv, '\n');
    const std::string_view text = trim(split_off(whole, '#'));
    if (text.empty() || (rows.empty() && is_header(text))) continue;
    if (rows.size() == max_colors)
      throw UsageError("{}:{}: more than {} colours; a colormap has 2 to {}", source, line, max_colors, max_colors);
    rows.push_back(parse_row(text, source, line, rows.empty()));
    fractions = fractions || text.find_first_of(".eE") != std::string_view::npos;
    for (const double value : rows.back().value) greatest = std::max(greatest, value);
  }
  if (rows.size() < 2)
    throw UsageError("{}: {}; a colormap has 2 to {} lines of red,green,blue", source,
                     rows.empty() ? "no colours in it" : "only one colour in it", max_colors);
  const double top = fractions || greatest <= 1 ? 1 : 255;
  std::vector<Color> colors;
  colors.reserve(rows.size());
  for (const Row& row : rows) {
    const auto channel = [&](double value) {
      if (value < 0 || value > top)
        throw UsageError(
            "{}:{}: {} is outside 0 to {}; a colormap has whole numbers from 0 to 255, or numbers from 0 to 1 "
            "where any has a decimal point",
            source, row.line, value, top);
      return static_cast<std::uint8_t>(value * (255 / top) + 0.5);
    };
    colors.push_back({channel(row.value[0]), channel(row.value[1]), channel(row.value[2]), 255});
  }
  return colors;
}

std::vector<ColormapInfo> list_colormaps() {
  std::vector<ColormapInfo> list;
  for (const EmbeddedColormap& map : embedded_colormaps()) {
    std::string_view text = map.csv;
    const std::string_view first = split_off(text, '\n');
    list.push_back({map.name, std::string(first.starts_with('#') ? trim(first.substr(1)) : std::string_view{})});
  }
  return list;
}

std::vector<Color> load_colormap(const std::string& name, const std::string& named_at) {
  const std::string place = named_at.empty() ? "" : named_at + ": ";
  const auto [base, reversed] = take_apart(name);
  std::vector<Color> colors;
  if (const EmbeddedColormap* map = find_embedded(base)) {
    colors = parse_colormap(map->csv, base);
  } else if (is_path(base)) {
    colors = parse_colormap(read_file(base, place), place + base);
  } else {
    std::vector<std::string_view> names;
    for (const EmbeddedColormap& each : embedded_colormaps()) names.push_back(each.name);
    const std::string_view near = nearest(base, names);
    throw UsageError(
        "{}unknown colormap {}{} simreel colormaps shows all {}, \"_r\" after a name reverses it, and a path that ends "
        "in .csv names a file",
        place, quote(shorten(name, 80)),
        near.empty() ? "." : fmt::format("; did you mean \"{}{}\"?", near, reversed ? "_r" : ""), names.size());
  }
  if (reversed) std::reverse(colors.begin(), colors.end());
  return colors;
}

std::string colormap_file(const std::string& name) {
  const std::string base = take_apart(name).base;
  return is_path(base) && !find_embedded(base) ? base : "";
}

}  // namespace simreel
