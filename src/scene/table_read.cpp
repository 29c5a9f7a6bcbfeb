// The reads of values of one form.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "base/pixels.h"
#include "base/text.h"
#include "scene/node.h"
#include "scene/reads.h"
#include "scene/scene.h"
#include "scene/table.h"

namespace simreel {
namespace {

// Colours that people write by name, with the values of CSS.
constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"black", "000000"}, {"white", "ffffff"},  {"red", "ff0000"},     {"green", "008000"},
    {"blue", "0000ff"},  {"yellow", "ffff00"}, {"cyan", "00ffff"},    {"gray", "808080"},
    {"grey", "808080"},  {"orange", "ffa500"}, {"magenta", "ff00ff"}, {"none", "00000000"}};

// What was meant by a name ("red"), "#f00" or "ff0000". Nullopt if nothing like a colour was.
std::optional<Color> meant_color(std::string_view given) {
  const std::string text = lower_case(trim(given));
  const auto name = std::ranges::find(names, text, [](const auto& one) { return one.first; });
  std::string digits(name != std::end(names) ? name->second
                                             : std::string_view(text).substr(text.starts_with('#') ? 1 : 0));
  if (digits.size() == 3) digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
  return parse_color("#" + digits);
}

using Node = Table::Node;

// "#ff0000", or "#ff000080" where the colour is not opaque.
std::string as_toml(Color color) {
  const std::string rgb = fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
  return quote(color.a == 255 ? rgb : fmt::format("{}{:02x}", rgb, color.a));
}

std::optional<double> finite(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
  const auto* const real = std::get_if<double>(&node.value);
  return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

// Calls `take` for each list in a list; false where it is none, or a row has another length, or is not taken.
bool rows_of(const Node& node, std::size_t length, const std::function<bool(const Node::List&)>& take) {
  const auto* const list = std::get_if<Node::List>(&node.value);
  return list != nullptr && std::ranges::all_of(*list, [&](const auto& entry) {
           const auto* const row = std::get_if<Node::List>(&entry->value);
           return row != nullptr && row->size() == length && take(*row);
         });
}

template <class T>
void read_one(const Table& table, Node& node, std::string_view key, T& value, KeyText text, Range range) {
  read_value(node, key, fmt::format("{}", value), with_range(std::string(kind_of_number<T>), range), text,
             [&](const Node& found) { read_number(table, node, key, value, range, found); });
}

template <class T, std::size_t N>
void read_several(const Table& table, Node& node, std::string_view key, std::array<T, N>& value, KeyText text,
                  Range range) {
  read_value(node, key, simreel::as_toml(value), with_range(fmt::format("{} {}s", N, kind_of_number<T>), range), text,
             [&](const Node& found) { read_numbers(table, node, key, value, range, found); });
}

}  // namespace

std::optional<Color> parse_color(const std::string& text) {
  if ((text.size() != 7 && text.size() != 9) || text[0] != '#') return {};
  const char* const end = text.data() + text.size();
  std::uint32_t value = 0;
  const auto [after, error] = std::from_chars(text.data() + 1, end, value, 16);
  if (error != std::errc() || after != end) return {};
  if (text.size() == 7) value = value << 8 | 0xff;
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>(value >> shift); };
  return Color{channel(24), channel(16), channel(8), channel(0)};
}

void Table::read(std::string_view key, double& value, KeyText text, Range range) {
  read_one(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, std::int64_t& value, KeyText text, Range range) {
  read_one(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, int& value, KeyText text, Range range) {
  read_one(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, std::array<int, 2>& value, KeyText text, Range range) {
  read_several(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, std::array<double, 2>& value, KeyText text, Range range) {
  read_several(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, std::array<double, 3>& value, KeyText text, Range range) {
  read_several(*this, *node_, key, value, text, range);
}
void Table::read(std::string_view key, std::array<double, 4>& value, KeyText text) {
  read_several(*this, *node_, key, value, text, Range::any());
}

void Table::read(std::string_view key, std::vector<std::int64_t>& value, KeyText text, Range range) {
  read_value(*node_, key, fmt::format("[{}]", fmt::join(value, ", ")), with_range("list of whole numbers", range), text,
             [&](const Node& found) {
               constexpr std::string_view expected = "an array of whole numbers";
               const auto* list = std::get_if<Node::List>(&found.value);
               if (list == nullptr) fail_type(*this, *node_, key, expected, found);
               std::vector<std::int64_t> read_values(list->size());
               read_elements<std::int64_t>(*this, *node_, key, read_values, range, std::string(expected), *list);
               value = read_values;
             });
}

void Table::read(std::string_view key, std::vector<std::string>& value, KeyText text) {
  read_value(*node_, key, "[]", "list of texts", text, [&](const Node& found) {
    const auto* list = std::get_if<Node::List>(&found.value);
    std::vector<std::string> texts;
    if (list != nullptr)
      for (const auto& entry : *list)
        if (const auto* given = std::get_if<std::string>(&entry->value); given != nullptr && !given->empty())
          texts.push_back(*given);
    const auto* one = std::get_if<std::string>(&found.value);
    if (one != nullptr && !one->empty())
      fail(key, fmt::format("{} must be an array of texts, but is {}; write [{}]", name_in(*node_, key),
                            describe(found), quote(*one)));
    if (list == nullptr || texts.size() != list->size())
      fail_type(*this, *node_, key, "an array of texts, none of them empty", found);
    value = texts;
  });
}

void Table::read(std::string_view key, std::vector<std::array<double, 2>>& value, KeyText text) {
  read_value(*node_, key, "[]", "list of pairs of numbers", text, [&](const Node& found) {
    std::vector<std::array<double, 2>> pairs;
    const bool right = rows_of(found, 2, [&](const Node::List& row) {
      const std::optional<double> x = finite(*row[0]), y = finite(*row[1]);
      if (x && y) pairs.push_back({*x, *y});
      return x && y;
    });
    const std::string_view example = text.example.empty() ? "[[0, 0], [10, 0], [5, 8]]" : text.example;
    if (!right) fail_type(*this, *node_, key, fmt::format("a list of pairs of finite numbers, as {}", example), found);
    value = pairs;
  });
}

void Table::read(std::string_view key, std::vector<std::array<int, 4>>& value, KeyText text) {
  read_value(*node_, key, "[]", "list of boxes", text, [&](const Node& found) {
    std::vector<std::array<int, 4>> boxes;
    const bool right = rows_of(found, 4, [&](const Node::List& row) {
      std::array<int, 4>& box = boxes.emplace_back();
      for (std::size_t i = 0; i < 4; ++i) {
        const auto* const number = std::get_if<std::int64_t>(&row[i]->value);
        if (number == nullptr || std::abs(*number) > std::numeric_limits<int>::max()) return false;
        box[i] = static_cast<int>(*number);
      }
      return true;
    });
    if (!right) fail_type(*this, *node_, key, "a list of boxes of whole numbers, [[0, 0, 80, 12]]", found);
    value = boxes;
  });
}

void Table::read(std::string_view key, std::vector<std::pair<std::string, double>>& value, KeyText text) {
  read_value(*node_, key, "[]", "list of names with a number each", text, [&](const Node& found) {
    std::vector<std::pair<std::string, double>> entries;
    const bool right = rows_of(found, 2, [&](const Node::List& row) {
      const auto* const name = std::get_if<std::string>(&row[0]->value);
      const std::optional<double> number = finite(*row[1]);
      if (name != nullptr && number) entries.emplace_back(*name, *number);
      return name != nullptr && number;
    });
    if (!right) fail_type(*this, *node_, key, "a list of names with a number each, [[\"energy\", 1e-6]]", found);
    value = entries;
  });
}

void Table::read(std::string_view key, bool& value, KeyText text) {
  read_value(*node_, key, fmt::format("{}", value), "true or false", text, [&](const Node& found) {
    const auto* boolean = std::get_if<bool>(&found.value);
    if (boolean == nullptr) fail_type(*this, *node_, key, "true or false", found);
    value = *boolean;
  });
}

void Table::read(std::string_view key, std::string& value, KeyText text) {
  read_value(*node_, key, quote(value), "text", text,
             [&](const Node& found) { value = text_in(*this, *node_, key, found); });
}

void Table::read(std::string_view key, PlacedText& value, KeyText text) {
  read_value(*node_, key, quote(value.text), "text", text, [&](const Node& found) {
    value = {text_in(*this, *node_, key, found), found.text};
  });
}

void Table::read(std::string_view key, Color& value, KeyText text) {
  read_value(*node_, key, as_toml(value), "colour, \"#rrggbb\" or \"#rrggbbaa\"", text, [&](const Node& found) {
    const auto* const given = std::get_if<std::string>(&found.value);
    const std::optional<Color> color = given == nullptr ? std::nullopt : parse_color(*given);
    if (!color) {
      const std::optional<Color> meant = given == nullptr ? std::nullopt : meant_color(*given);
      const std::string form = "\"#rrggbb\" or \"#rrggbbaa\"" + (meant ? ", here " + as_toml(*meant) : "");
      if (given == nullptr) fail_type(*this, *node_, key, "a colour in quotes", found, "; write " + form);
      fail(key, fmt::format("\"{}\" is {}, which is not a colour; write {}", key, quote(shorten(*given, 60)), form));
    }
    value = *color;
  });
}

}  // namespace simreel
