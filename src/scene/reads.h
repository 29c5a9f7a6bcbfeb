#pragma once
// What the reads of a table share: numbers in their range, arrays of them, texts. Only src/scene/table_*.cpp includes
// this.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "scene/node.h"
#include "scene/table.h"

namespace simreel {

// "at least 0", "between 0 and 1", "a finite number".
std::string in_words(const Range& range);

// `value` has 80 or more bits, so that the limits of 64-bit integers are not rounded into a range.
bool holds(const Range& range, long double value);

// "number, at least 0"; nothing after the kind where any number will do.
std::string with_range(std::string kind, const Range& range);

// A number from 0 to 1 may be text, as a percentage: "1%".
std::optional<double> percentage(const Table::Node& node, const Range& range);

// Records the read of a value, whose default is `default_literal` as TOML, and calls `take` with it where the key is
// there. A mistake that `take` throws is collected where the table collects them.
void read_value(Table::Node& table, std::string_view key, const std::string& default_literal, std::string range,
                KeyText text, const std::function<void(const Table::Node&)>& take);

// For the end of a message about a text that should have been `count` numbers: "; write [640, 480]". Empty if it holds
// something else.
std::string array_hint(const Table::Node& found, std::size_t count);

// For the end of a message about a text that should have been a number: "; leave the quotes out: 5", or "5%" where a
// share of 5 is too much. Empty if it holds something else.
std::string unquoted_hint(const Table::Node& found, const Range& range);

// For the end of a message about 1e3 where a whole number is wanted: "; a whole number has no point and no exponent:
// 1000". Empty if it is no whole number.
std::string whole_hint(const Table::Node& found, const Range& range);

const std::string& text_in(const Table& table, const Table::Node& node, std::string_view key, const Table::Node& found);

template <class T>
inline constexpr std::string_view kind_of_number = std::is_integral_v<T> ? "whole number" : "number";

template <class T>
Range narrowed(Range range) {
  if constexpr (std::is_same_v<T, int>) {
    range.low = std::max<double>(range.low, std::numeric_limits<int>::min());
    range.high = std::min<double>(range.high, std::numeric_limits<int>::max());
  }
  return range;
}

// The number of a node, if it has the kind that T requires; `narrowed` checks the limits of T.
template <class T>
std::optional<long double> number(const Table::Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<long double>(*whole);
  if constexpr (std::is_floating_point_v<T>)
    if (const auto* real = std::get_if<double>(&node.value)) return static_cast<long double>(*real);
  return {};
}

template <class T>
void read_number(const Table& table, const Table::Node& node, std::string_view key, T& value, Range range,
                 const Table::Node& found) {
  auto read = number<T>(found);
  if constexpr (std::is_floating_point_v<T>)
    if (!read) read = percentage(found, range);
  if (!read) {
    std::string hint = unquoted_hint(found, range);
    if constexpr (std::is_integral_v<T>) hint += whole_hint(found, range);
    table.fail(key, "{} must be a {}, but is {}{}", name_in(node, key), kind_of_number<T>, describe(found), hint);
  }
  const Range limits = narrowed<T>(range);
  if (!holds(limits, *read))
    table.fail(key, "{} is {}; it must be {}", name_in(node, key), literal(found), in_words(limits));
  value = static_cast<T>(*read);
}

// `value` has as many elements as `list`.
template <class T>
void read_elements(const Table& table, const Table::Node& node, std::string_view key, std::span<T> value, Range range,
                   const std::string& expected, const Table::Node::List& list) {
  const Range limits = narrowed<T>(range);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Table::Node& element = *list[i];
    const auto read = number<T>(element);
    if (!read) table.fail(key, "{} must be {}, but holds {}", name_in(node, key), expected, describe(element));
    if (!holds(limits, *read))
      table.fail(key, "{} holds {}; each of its values must be {}", name_in(node, key), literal(element),
                 in_words(limits));
    value[i] = static_cast<T>(*read);
  }
}

template <class T, std::size_t N>
std::string as_toml(const std::array<T, N>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

template <class T, std::size_t N>
void read_numbers(const Table& table, const Table::Node& node, std::string_view key, std::array<T, N>& value,
                  Range range, const Table::Node& found) {
  const std::string expected = fmt::format("an array of {} {}s", N, kind_of_number<T>);
  const auto* list = std::get_if<Table::Node::List>(&found.value);
  if (list == nullptr || list->size() != N) {
    const Range limits = narrowed<T>(range);
    const bool example = list == nullptr && std::ranges::all_of(value, [&](T v) { return holds(limits, v); });
    std::string hint = array_hint(found, N);
    if (hint.empty() && example) hint = "; for example " + as_toml(value);
    if (list != nullptr && list->size() == 3 && key == "grid") hint = "; simreel computes in two dimensions, [nx, ny]";
    table.fail(key, "{} must be {}, but is {}{}", name_in(node, key), expected, describe(found), hint);
  }
  std::array<T, N> read_values = value;
  read_elements<T>(table, node, key, read_values, range, expected, *list);
  value = read_values;
}

// A text that is a number and its unit as the scene has it, for messages: a number bare, a text in quotes.
std::string written_quantity(const std::string& text);

// Reads one. A number without unit passes as one, so that the message is the one about the unit.
void read_quantity(Table&, std::string_view key, std::string& text, KeyText documentation);

}  // namespace simreel
