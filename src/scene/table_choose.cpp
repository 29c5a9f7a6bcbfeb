// The reads of names, and of keys with two forms.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "scene/reads.h"

namespace simreel {
namespace {

using Node = Table::Node;

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
  table.fail(key, "{} is {}; it must be {}one of {}{}", name_in(node, key), quote(shorten(text, 60)), instead,
             choices(text, names), hint);
}

bool is_list(const Node& node) { return std::holds_alternative<Node::List>(node.value); }

template <class T>
constexpr bool is_array = !std::is_arithmetic_v<T>;

template <class T>
bool read_name_or(const Table& table, Node& node, std::string_view key, int& index,
                  std::span<const std::string_view> names, T& value, std::string_view form, KeyText text, Range range) {
  std::string forms =
      is_array<T> ? fmt::format("{}, {}", form, in_words(names)) : fmt::format("{} or {}", in_words(names), form);
  bool second = false;
  read_value(node, key, quote(names[static_cast<std::size_t>(index)]), is_array<T> ? forms : with_range(forms, range),
             text, [&](const Node& found) {
               if (const auto* name = std::get_if<std::string>(&found.value)) {
                 const std::string hint = is_array<T> ? array_hint(found, 2) : "";
                 index = chosen_name(table, node, key, names, *name, fmt::format("{} or ", form), hint);
                 return;
               }
               if constexpr (is_array<T>) {
                 if (!is_list(found)) fail_type(table, node, key, forms, found);
                 read_numbers(table, node, key, value, range, found);
               } else {
                 if (!number<T>(found)) fail_type(table, node, key, forms, found);
                 read_number(table, node, key, value, range, found);
               }
               second = true;
             });
  return second;
}

}  // namespace

bool Table::choose_or_text(std::string_view key, int& index, std::span<const std::string_view> names, PlacedText& text,
                           bool (*is_text)(std::string_view), std::string_view form, KeyText documentation) {
  bool chosen_text = false;
  const std::string forms = fmt::format("{}, or {}", in_words(names), form);
  read_value(*node_, key, quote(names[static_cast<std::size_t>(index)]), forms, documentation, [&](const Node& found) {
    const auto* given = std::get_if<std::string>(&found.value);
    if (given == nullptr) fail_type(*this, *node_, key, forms, found);
    chosen_text = is_text(*given);
    if (chosen_text)
      text = {*given, found.text};
    else
      index = chosen_name(*this, *node_, key, names, *given, fmt::format("{}, or ", form));
  });
  return chosen_text;
}

bool Table::read_number_or_text(std::string_view key, double& value, PlacedText& text, std::string_view form,
                                KeyText documentation, Range range) {
  bool is_text = false;
  read_value(*node_, key, fmt::format("{}", value), fmt::format("{}; or {}", with_range("number", range), form),
             documentation, [&](const Node& found) {
               if (std::holds_alternative<Node::Moment>(found.value))
                 fail_type(*this, *node_, key, fmt::format("a number, or {}", form), found);
               const auto* given = std::get_if<std::string>(&found.value);
               is_text = given != nullptr && !percentage(found, range);
               if (is_text)
                 text = {*given, found.text};
               else
                 read_number(*this, *node_, key, value, range, found);
             });
  return is_text;
}

void Table::choose(std::string_view key, int& index, std::span<const std::string_view> names, KeyText text) {
  read_value(*node_, key, quote(names[static_cast<std::size_t>(index)]), in_words(names), text, [&](const Node& found) {
    const auto* name = std::get_if<std::string>(&found.value);
    if (name == nullptr) fail_type(*this, *node_, key, fmt::format("one of {}", fmt::join(names, ", ")), found);
    index = chosen_name(*this, *node_, key, names, *name);
  });
}

void Table::choose(std::string_view key, int& value, std::span<const int> numbers, KeyText text) {
  const std::string choices = fmt::format("one of {}", fmt::join(numbers, ", "));
  read_value(*node_, key, fmt::format("{}", value), choices, text, [&](const Node& found) {
    int chosen = value;
    read_number(*this, *node_, key, chosen, Range::any(), found);
    if (std::ranges::find(numbers, chosen) == numbers.end())
      fail(key, fmt::format("{} is {}; it must be {}", name_in(*node_, key), chosen, choices));
    value = chosen;
  });
}

bool Table::read_either(std::string_view key, int& index, std::span<const std::string_view> names, double& value,
                        std::string_view form, KeyText text, Range range) {
  return read_name_or(*this, *node_, key, index, names, value, form, text, range);
}

bool Table::read_either(std::string_view key, int& index, std::span<const std::string_view> names,
                        std::array<double, 2>& value, std::string_view form, KeyText text, Range range) {
  return read_name_or(*this, *node_, key, index, names, value, form, text, range);
}

bool Table::read_either(std::string_view key, bool& value, int& index, std::span<const std::string_view> names,
                        KeyText text) {
  bool named = false;
  const std::string forms = fmt::format("true, false or {}", in_words(names));
  read_value(*node_, key, fmt::format("{}", value), forms, text, [&](const Node& found) {
    if (const auto* boolean = std::get_if<bool>(&found.value)) {
      value = *boolean;
      return;
    }
    const auto* name = std::get_if<std::string>(&found.value);
    if (name == nullptr) fail_type(*this, *node_, key, forms, found);
    index = chosen_name(*this, *node_, key, names, *name, "true, false or ");
    named = true;
  });
  return named;
}

bool Table::read_either(std::string_view key, int& value, Range range, std::array<int, 2>& pair, Range pair_range,
                        std::string_view form, KeyText text) {
  bool second = false;
  read_value(*node_, key, fmt::format("{}", value), fmt::format("{}, or {}", with_range("whole number", range), form),
             text, [&](const Node& found) {
               if (is_list(found)) {
                 read_numbers(*this, *node_, key, pair, pair_range, found);
                 second = true;
                 return;
               }
               if (!number<int>(found))
                 fail_type(*this, *node_, key, fmt::format("a whole number or {}", form), found,
                           unquoted_hint(found, range) + whole_hint(found, range));
               read_number(*this, *node_, key, value, range, found);
             });
  return second;
}

bool Table::read_either(std::string_view key, int& value, Range range, std::vector<double>& list, std::string_view form,
                        KeyText text) {
  bool second = false;
  read_value(*node_, key, fmt::format("{}", value), fmt::format("{}, or {}", with_range("whole number", range), form),
             text, [&](const Node& found) {
               if (const auto* nodes = std::get_if<Node::List>(&found.value)) {
                 std::vector<double> numbers(nodes->size());
                 read_elements<double>(*this, *node_, key, numbers, Range::any(), std::string(form), *nodes);
                 list = numbers;
                 second = true;
                 return;
               }
               if (!number<int>(found)) fail_type(*this, *node_, key, fmt::format("a whole number or {}", form), found);
               read_number(*this, *node_, key, value, range, found);
             });
  return second;
}

}  // namespace simreel
