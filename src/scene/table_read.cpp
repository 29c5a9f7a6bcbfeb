// The reads of single values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/share.h"
#include "base/text.h"
#include "scene/color.h"
#include "scene/node.h"
#include "scene/scene.h"
#include "scene/table.h"

namespace simreel {
namespace {

using Node = Table::Node;
using Asked = Node::Asked;

// Large round bounds with an exponent: 1e+15.
std::string bound(double value) {
  const std::string brief = fmt::format("{:g}", value);
  return std::abs(value) >= 1e9 && std::strtod(brief.c_str(), nullptr) == value ? brief : fmt::format("{}", value);
}

std::string in_words(const Range& range) {
  constexpr double most = std::numeric_limits<double>::max();
  const bool low = range.low > -most, high = range.high < most;
  std::string above = fmt::format("{} {}", range.open_low ? "greater than" : "at least", bound(range.low));
  std::string below = fmt::format("{} {}", range.open_high ? "less than" : "at most", bound(range.high));
  if (low && high && !range.open_low && !range.open_high)
    return fmt::format("between {} and {}", bound(range.low), bound(range.high));
  if (low && high) return above + " and " + below;
  if (low) return above;
  if (high) return below;
  return "a finite number";
}

// 80 or more bits, so that the limits of 64-bit integers are not rounded into a range.
bool holds(const Range& range, long double value) {
  const bool low = range.open_low ? value > range.low : value >= range.low;
  const bool high = range.open_high ? value < range.high : value <= range.high;
  return low && high;
}

template <class T>
constexpr std::string_view kind_of_number = std::is_integral_v<T> ? "whole number" : "number";

template <class T>
Range narrowed(Range range) {
  if constexpr (std::is_same_v<T, int>) {
    range.low = std::max<double>(range.low, std::numeric_limits<int>::min());
    range.high = std::min<double>(range.high, std::numeric_limits<int>::max());
  }
  return range;
}

// "number, at least 0"; nothing after the kind where any number will do.
std::string with_range(std::string kind, const Range& range) {
  constexpr double most = std::numeric_limits<double>::max();
  const bool any = range.low <= -most && range.high >= most;
  return any ? kind : fmt::format("{}, {}", kind, in_words(range));
}

// The number of a node, if it has the kind that T requires; `narrowed` checks the limits of T.
template <class T>
std::optional<long double> number(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<long double>(*whole);
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* real = std::get_if<double>(&node.value)) return static_cast<long double>(*real);
  }
  return {};
}

// A number from 0 to 1 may be text, as a percentage: "1%".
std::optional<double> percentage(const Node& node, const Range& range) {
  const auto* const text = std::get_if<std::string>(&node.value);
  if (text == nullptr || !text->ends_with('%') || range.low < 0 || range.high != 1) return {};
  return number_or_percentage(*text);
}

// Records the read of a value and finds it. `default_literal` is the default as TOML.
const Node* take(Node& table, std::string_view key, const std::string& default_literal, std::string range,
                 KeyText text) {
  KeyDoc doc{.key = std::string(key),
             .default_value = text.default_words.empty() ? default_literal : std::string(),
             .default_words = std::string(text.default_words),
             .range = std::move(range),
             .meaning = std::string(text.meaning),
             .example = text.example.empty() ? default_literal : std::string(text.example)};
  table.note(Asked::Kind::value, std::move(doc));
  Node* const found = table.find(key);
  if (found != nullptr) found->used = true;
  return found;
}

// For the end of a message about a text that should have been `count` numbers: "; write [640, 480]". Empty if it holds
// something else.
std::string array_hint(const Node& found, std::size_t count) {
  const auto* text = std::get_if<std::string>(&found.value);
  const std::string array = text != nullptr ? numbers_as_array(*text, count) : "";
  return array.empty() ? "" : "; write " + array;
}

// For the end of a message about a text that should have been a number: "; leave the quotes out: 5", or "5%" where a
// share of 5 is too much. Empty if it holds something else.
std::string unquoted_hint(const Node& found, const Range& range) {
  const auto* text = std::get_if<std::string>(&found.value);
  const std::optional<double> value = text == nullptr ? std::nullopt : number_or_percentage(*text);
  if (!value || text->ends_with('%') || found.position.line == 0) return "";
  const bool share = range.low >= 0 && range.high == 1 && *value > 1 && *value <= 100;
  if (share) return fmt::format("; for a share of the whole write {}", quote(*text + "%"));
  return holds(range, *value) ? fmt::format("; leave the quotes out: {}", *text) : "";
}

template <class T>
void read_number(const Table& table, const Node& node, std::string_view key, T& value, Range range, const Node* found) {
  if (found == nullptr) return;
  auto read = number<T>(*found);
  if constexpr (std::is_floating_point_v<T>) {
    if (!read) read = percentage(*found, range);
  }
  if (!read) {
    table.fail(key, fmt::format("{} must be a {}, but is {}{}", name_in(node, key), kind_of_number<T>, describe(*found),
                                unquoted_hint(*found, range)));
  }
  const Range limits = narrowed<T>(range);
  if (!holds(limits, *read)) {
    table.fail(key, fmt::format("{} is {}; it must be {}", name_in(node, key), literal(*found), in_words(limits)));
  }
  value = static_cast<T>(*read);
}

// `value` has as many elements as `list`.
template <class T>
void read_elements(const Table& table, const Node& node, std::string_view key, std::span<T> value, Range range,
                   const std::string& expected, const Node::List& list) {
  const Range limits = narrowed<T>(range);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Node& element = *list[i];
    const auto read = number<T>(element);
    if (!read) {
      table.fail(key, fmt::format("{} must be {}, but holds {}", name_in(node, key), expected, describe(element)));
    }
    if (!holds(limits, *read)) {
      table.fail(key, fmt::format("{} holds {}; each of its values must be {}", name_in(node, key), literal(element),
                                  in_words(limits)));
    }
    value[i] = static_cast<T>(*read);
  }
}

template <class T, std::size_t N>
std::string as_toml(const std::array<T, N>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

template <class T, std::size_t N>
void read_numbers(const Table& table, const Node& node, std::string_view key, std::array<T, N>& value, Range range,
                  const Node* found) {
  if (found == nullptr) return;
  const std::string expected = fmt::format("an array of {} {}s", N, kind_of_number<T>);
  const auto* list = std::get_if<Node::List>(&found->value);
  if (list == nullptr || list->size() != N) {
    const Range limits = narrowed<T>(range);
    const bool example = list == nullptr && std::ranges::all_of(value, [&](T v) { return holds(limits, v); });
    std::string hint = array_hint(*found, N);
    if (hint.empty() && example) hint = "; for example " + as_toml(value);
    table.fail(key, fmt::format("{} must be {}, but is {}{}", name_in(node, key), expected, describe(*found), hint));
  }
  std::array<T, N> read_values = value;
  read_elements<T>(table, node, key, read_values, range, expected, *list);
  value = read_values;
}

// "a", "b" or "c".
std::string in_words(std::span<const std::string_view> names) {
  std::string text = quote(names[0]);
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " or ") + quote(names[i]);
  return text;
}

// The place of the name that a scene gives. For messages: what the key may be instead ("[low, high] or "), and a hint.
int chosen_name(const Table& table, const Node& node, std::string_view key, std::span<const std::string_view> names,
                const std::string& text, const std::string& instead = "", const std::string& hint = "") {
  const auto chosen = std::ranges::find(names, text);
  if (chosen != names.end()) return static_cast<int>(chosen - names.begin());
  table.fail(key, fmt::format("{} is {}; it must be {}one of {}{}", name_in(node, key), quote(shorten(text, 60)),
                              instead, choices(text, names), hint));
}

std::string as_toml(Color color) { return quote(color_text(color)); }

// A string, where the key is there.
const std::string* read_text(const Table& table, const Node& node, std::string_view key, const Node* found) {
  if (found == nullptr) return nullptr;
  const auto* text = std::get_if<std::string>(&found->value);
  if (text != nullptr) return text;
  // On a command line the shell removes the quotes that TOML needs.
  const std::string as_string = fmt::format("'{}=\"{}\"'", join_path(node.path, key), literal(*found));
  const bool argument = found->position.line == 0 && !literal(*found).empty();
  table.fail(key, fmt::format("{} must be a string, but is {}{}", name_in(node, key), describe(*found),
                              argument ? "; to make it one: --set " + as_string : ""));
}

bool is_list(const Node& node) { return std::holds_alternative<Node::List>(node.value); }

template <class T>
constexpr bool is_array = !std::is_arithmetic_v<T>;

template <class T>
bool read_name_or(const Table& table, Node& node, std::string_view key, int& index,
                  std::span<const std::string_view> names, T& value, std::string_view form, KeyText text, Range range) {
  std::string forms =
      is_array<T> ? fmt::format("{}, {}", form, in_words(names)) : fmt::format("{} or {}", in_words(names), form);
  const Node* found = take(node, key, quote(names[static_cast<std::size_t>(index)]),
                           is_array<T> ? forms : with_range(forms, range), text);
  if (found == nullptr) return false;
  if (const auto* name = std::get_if<std::string>(&found->value)) {
    const std::string hint = is_array<T> ? array_hint(*found, 2) : "";
    index = chosen_name(table, node, key, names, *name, fmt::format("{} or ", form), hint);
    return false;
  }
  if constexpr (is_array<T>) {
    if (!is_list(*found)) fail_type(table, node, key, forms, *found);
    read_numbers(table, node, key, value, range, found);
  } else {
    if (!number<T>(*found)) fail_type(table, node, key, forms, *found);
    read_number(table, node, key, value, range, found);
  }
  return true;
}

}  // namespace

void Table::read(std::string_view key, double& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value), with_range("number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::int64_t& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value), with_range("whole number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, int& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value), with_range("whole number", range), text);
    read_number(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<int, 2>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, as_toml(value), with_range("2 whole numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<double, 2>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, as_toml(value), with_range("2 numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::array<double, 3>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, as_toml(value), with_range("3 numbers", range), text);
    read_numbers(*this, *node_, key, value, range, found);
  });
}

void Table::read(std::string_view key, std::vector<std::int64_t>& value, KeyText text, Range range) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("[{}]", fmt::join(value, ", ")),
                             with_range("list of whole numbers", range), text);
    if (found == nullptr) return;
    constexpr std::string_view expected = "an array of whole numbers";
    const auto* list = std::get_if<Node::List>(&found->value);
    if (list == nullptr) fail_type(*this, *node_, key, expected, *found);
    std::vector<std::int64_t> read_values(list->size());
    read_elements<std::int64_t>(*this, *node_, key, read_values, range, std::string(expected), *list);
    value = read_values;
  });
}

void Table::read(std::string_view key, std::vector<std::string>& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, "[]", "list of texts", text);
    if (found == nullptr) return;
    const auto* list = std::get_if<Node::List>(&found->value);
    std::vector<std::string> texts;
    if (list != nullptr)
      for (const auto& entry : *list)
        if (const auto* given = std::get_if<std::string>(&entry->value); given != nullptr && !given->empty())
          texts.push_back(*given);
    const auto* one = std::get_if<std::string>(&found->value);
    if (one != nullptr && !one->empty())
      fail(key, fmt::format("{} must be an array of texts, but is {}; write [{}]", name_in(*node_, key),
                            describe(*found), quote(*one)));
    if (list == nullptr || texts.size() != list->size())
      fail_type(*this, *node_, key, "an array of texts, none of them empty", *found);
    value = texts;
  });
}

void Table::read(std::string_view key, std::vector<std::array<double, 2>>& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, "[]", "list of pairs of numbers", text);
    if (found == nullptr) return;
    const auto fail_here = [&] {
      fail_type(*this, *node_, key, "a list of pairs of finite numbers, [[0, 0], [10, 0], [5, 8]]", *found);
    };
    const auto* list = std::get_if<Node::List>(&found->value);
    if (list == nullptr) fail_here();
    std::vector<std::array<double, 2>> pairs;
    for (const auto& entry : *list) {
      const auto* numbers = std::get_if<Node::List>(&entry->value);
      if (numbers == nullptr || numbers->size() != 2) fail_here();
      std::array<double, 2>& pair = pairs.emplace_back();
      for (std::size_t i = 0; i < 2; ++i) {
        const Node& number = *(*numbers)[i];
        if (const auto* whole = std::get_if<std::int64_t>(&number.value)) {
          pair[i] = static_cast<double>(*whole);
        } else if (const auto* real = std::get_if<double>(&number.value); real != nullptr && std::isfinite(*real)) {
          pair[i] = *real;
        } else {
          fail_here();
        }
      }
    }
    value = pairs;
  });
}

void Table::read(std::string_view key, bool& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value), "true or false", text);
    if (found == nullptr) return;
    const auto* boolean = std::get_if<bool>(&found->value);
    if (boolean == nullptr) fail_type(*this, *node_, key, "true or false", *found);
    value = *boolean;
  });
}

void Table::read(std::string_view key, std::string& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, quote(value), "text", text);
    if (const std::string* given = read_text(*this, *node_, key, found)) value = *given;
  });
}

void Table::read(std::string_view key, PlacedText& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, quote(value.text), "text", text);
    if (const std::string* given = read_text(*this, *node_, key, found)) value = {*given, found->text};
  });
}

bool Table::choose_or_text(std::string_view key, int& index, std::span<const std::string_view> names, PlacedText& text,
                           bool (*is_text)(std::string_view), std::string_view form, KeyText documentation) {
  bool chosen_text = false;
  attempt(*node_, key, [&] {
    const std::string forms = fmt::format("{}, or {}", in_words(names), form);
    const Node* found = take(*node_, key, quote(names[static_cast<std::size_t>(index)]), forms, documentation);
    if (found == nullptr) return;
    const auto* given = std::get_if<std::string>(&found->value);
    if (given == nullptr) fail_type(*this, *node_, key, forms, *found);
    chosen_text = is_text(*given);
    if (chosen_text)
      text = {*given, found->text};
    else
      index = chosen_name(*this, *node_, key, names, *given, fmt::format("{}, or ", form));
  });
  return chosen_text;
}

bool Table::read_number_or_text(std::string_view key, double& value, PlacedText& text, std::string_view form,
                                KeyText documentation, Range range) {
  bool is_text = false;
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value),
                             fmt::format("{}; or {}", with_range("number", range), form), documentation);
    if (found == nullptr) return;
    if (const auto* given = std::get_if<std::string>(&found->value); given != nullptr && !percentage(*found, range)) {
      text = {*given, found->text};
      is_text = true;
      return;
    }
    read_number(*this, *node_, key, value, range, found);
  });
  return is_text;
}

void Table::read(std::string_view key, Color& value, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, as_toml(value), "colour, \"#rrggbb\" or \"#rrggbbaa\"", text);
    if (found == nullptr) return;
    const auto* const given = std::get_if<std::string>(&found->value);
    const std::optional<Color> color = given == nullptr ? std::nullopt : parse_color(*given);
    if (!color) {
      const std::optional<Color> meant = meant_color(*found);
      const std::string form = "\"#rrggbb\" or \"#rrggbbaa\"" + (meant ? ", here " + as_toml(*meant) : "");
      if (given == nullptr) fail_type(*this, *node_, key, "a colour in quotes", *found, "; write " + form);
      fail(key, fmt::format("\"{}\" is {}, which is no colour; write {}", key, quote(shorten(*given, 60)), form));
    }
    value = *color;
  });
}

void Table::choose(std::string_view key, int& index, std::span<const std::string_view> names, KeyText text) {
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, quote(names[static_cast<std::size_t>(index)]), in_words(names), text);
    if (found == nullptr) return;
    const auto* name = std::get_if<std::string>(&found->value);
    if (name == nullptr) fail_type(*this, *node_, key, fmt::format("one of {}", fmt::join(names, ", ")), *found);
    index = chosen_name(*this, *node_, key, names, *name);
  });
}

void Table::choose(std::string_view key, int& value, std::span<const int> numbers, KeyText text) {
  attempt(*node_, key, [&] {
    const std::string choices = fmt::format("one of {}", fmt::join(numbers, ", "));
    const Node* found = take(*node_, key, fmt::format("{}", value), choices, text);
    int chosen = value;
    read_number(*this, *node_, key, chosen, Range::any(), found);
    if (std::ranges::find(numbers, chosen) == numbers.end())
      fail(key, fmt::format("{} is {}; it must be {}", name_in(*node_, key), chosen, choices));
    value = chosen;
  });
}

bool Table::read_either(std::string_view key, int& index, std::span<const std::string_view> names, double& value,
                        std::string_view form, KeyText text, Range range) {
  bool second = false;
  attempt(*node_, key, [&] { second = read_name_or(*this, *node_, key, index, names, value, form, text, range); });
  return second;
}

bool Table::read_either(std::string_view key, int& index, std::span<const std::string_view> names,
                        std::array<double, 2>& value, std::string_view form, KeyText text, Range range) {
  bool second = false;
  attempt(*node_, key, [&] { second = read_name_or(*this, *node_, key, index, names, value, form, text, range); });
  return second;
}

bool Table::read_either(std::string_view key, int& value, Range range, std::array<int, 2>& pair, Range pair_range,
                        std::string_view form, KeyText text) {
  bool second = false;
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value),
                             fmt::format("{}, or {}", with_range("whole number", range), form), text);
    if (found == nullptr) return;
    if (is_list(*found)) {
      read_numbers(*this, *node_, key, pair, pair_range, found);
      second = true;
      return;
    }
    if (!number<int>(*found)) fail_type(*this, *node_, key, fmt::format("a whole number or {}", form), *found);
    read_number(*this, *node_, key, value, range, found);
  });
  return second;
}

bool Table::read_either(std::string_view key, int& value, Range range, std::vector<double>& list, std::string_view form,
                        KeyText text) {
  bool second = false;
  attempt(*node_, key, [&] {
    const Node* found = take(*node_, key, fmt::format("{}", value),
                             fmt::format("{}, or {}", with_range("whole number", range), form), text);
    if (found == nullptr) return;
    if (const auto* nodes = std::get_if<Node::List>(&found->value)) {
      std::vector<double> numbers(nodes->size());
      read_elements<double>(*this, *node_, key, numbers, Range::any(), std::string(form), *nodes);
      list = numbers;
      second = true;
      return;
    }
    if (!number<int>(*found)) fail_type(*this, *node_, key, fmt::format("a whole number or {}", form), *found);
    read_number(*this, *node_, key, value, range, found);
  });
  return second;
}

}  // namespace simreel
