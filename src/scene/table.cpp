#include "scene/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/suggest.h"
#include "scene/node.h"

namespace simreel {
namespace {

using Node = Table::Node;
using Asked = Node::Asked;

// `"speed" in [solver]`: the name of a key in messages.
std::string name(const Node& table, std::string_view key) {
  const std::string quoted = quote(shorten(key, 60));
  return table.label.empty() ? quoted : fmt::format("{} in {}", quoted, table.label);
}

std::string in_words(const Range& range) {
  constexpr double most = std::numeric_limits<double>::max();
  const bool low = range.low > -most, high = range.high < most;
  const std::string above = fmt::format("{} {}", range.open_low ? "greater than" : "at least", range.low);
  const std::string below = fmt::format("{} {}", range.open_high ? "less than" : "at most", range.high);
  if (low && high && !range.open_low && !range.open_high)
    return fmt::format("between {} and {}", range.low, range.high);
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

// The number of a node, if it has the kind that T requires; `narrowed` checks the limits of T.
template <class T>
std::optional<long double> number(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<long double>(*whole);
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* real = std::get_if<double>(&node.value)) return static_cast<long double>(*real);
  }
  return {};
}

[[noreturn]] void fail_type(const Table& table, const Node& node, std::string_view key, std::string_view expected,
                            const Node& found) {
  table.fail(key, fmt::format("{} must be {}, but is {}", name(node, key), expected, describe(found)));
}

template <class T>
void read_number(const Table& table, const Node& node, std::string_view key, T& value, Range range, const Node* found) {
  if (found == nullptr) return;
  const auto read = number<T>(*found);
  if (!read) fail_type(table, node, key, fmt::format("a {}", kind_of_number<T>), *found);
  const Range limits = narrowed<T>(range);
  if (!holds(limits, *read)) {
    table.fail(key, fmt::format("{} is {}; it must be {}", name(node, key), literal(*found), in_words(limits)));
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
      table.fail(key, fmt::format("{} must be {}, but holds {}", name(node, key), expected, describe(element)));
    }
    if (!holds(limits, *read)) {
      table.fail(key, fmt::format("{} holds {}; each of its values must be {}", name(node, key), literal(element),
                                  in_words(limits)));
    }
    value[i] = static_cast<T>(*read);
  }
}

template <class T, std::size_t N>
void read_numbers(const Table& table, const Node& node, std::string_view key, std::array<T, N>& value, Range range,
                  const Node* found) {
  if (found == nullptr) return;
  const std::string expected = fmt::format("an array of {} {}s", N, kind_of_number<T>);
  const auto* list = std::get_if<Node::List>(&found->value);
  if (list == nullptr || list->size() != N) fail_type(table, node, key, expected, *found);
  std::array<T, N> read_values = value;
  read_elements<T>(table, node, key, read_values, range, expected, *list);
  value = read_values;
}

template <class T, std::size_t N>
std::string as_toml(const std::array<T, N>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

Asked& note(Node& table, std::string_view key, Asked::Kind kind, std::string default_value, std::string_view meaning) {
  const auto known = std::find_if(table.asked.begin(), table.asked.end(), [&](auto& a) { return a.doc.key == key; });
  if (known != table.asked.end()) return *known;
  const bool required = std::find(table.required.begin(), table.required.end(), key) != table.required.end();
  KeyDoc doc{std::string(key), required ? "required" : std::move(default_value), std::string(meaning)};
  return table.asked.emplace_back(Asked{kind, std::move(doc), nullptr});
}

// Records the read of a value and finds it.
const Node* take(Node& table, std::string_view key, std::string default_value, std::string_view meaning) {
  note(table, key, Asked::Kind::value, std::move(default_value), meaning);
  Node* found = table.find(key);
  if (found != nullptr) found->used = true;
  return found;
}

// An absent table: reads of its keys find nothing, and errors give the place of the parent table.
std::shared_ptr<Node> nothing_below(const Node& above, std::string_view key, bool entry_of_list) {
  auto node = std::make_shared<Node>();
  node->position = above.position;
  node->documenting = above.documenting;
  node->name_below(above, key, entry_of_list);
  return node;
}

void document(const Node& table, const std::string& prefix, std::vector<KeyDoc>& out) {
  for (const Asked& asked : table.asked) {
    KeyDoc doc = asked.doc;
    doc.key = prefix + doc.key;
    out.push_back(doc);
    if (asked.below) document(*asked.below, doc.key + ".", out);
  }
}

// A key for messages: values in quotes, tables in brackets.
std::string written(const Node& table, std::string_view key, Asked::Kind kind) {
  switch (kind) {
    case Asked::Kind::table: return fmt::format("[{}]", join_path(table.path, key));
    case Asked::Kind::list: return fmt::format("[[{}]]", join_path(table.path, key));
    case Asked::Kind::value: break;
  }
  return quote(shorten(key, 60));
}

bool is_list_of_tables(const Node& node) {
  const auto* list = std::get_if<Node::List>(&node.value);
  return list != nullptr && std::all_of(list->begin(), list->end(), [](const auto& entry) {
           return std::holds_alternative<Node::Members>(entry->value);
         });
}

[[noreturn]] void fail_unknown(const Node& table, const std::string& key, const Node& found) {
  const bool list = is_list_of_tables(found) && !std::get<Node::List>(found.value).empty();
  const auto kind = std::holds_alternative<Node::Members>(found.value) ? Asked::Kind::table
                    : list                                             ? Asked::Kind::list
                                                                       : Asked::Kind::value;
  const std::string place = kind != Asked::Kind::value ? ""
                            : table.label.empty()      ? " at the top level"
                                                       : " in " + table.label;
  std::string message =
      fmt::format("unknown {} {}{}", kind == Asked::Kind::value ? "key" : "table", written(table, key, kind), place);
  std::vector<std::string_view> names;
  for (const Asked& asked : table.asked) names.push_back(asked.doc.key);
  const std::string_view near = nearest(key, names);
  std::vector<std::string> known;
  for (const Asked& asked : table.asked) {
    const std::string text = written(table, asked.doc.key, asked.kind);
    if (asked.doc.key == near) message += fmt::format("; did you mean {}?", text);
    known.push_back(asked.kind == Asked::Kind::value ? asked.doc.key : text);
  }
  if (near.empty() && !known.empty()) message += fmt::format("; the known keys are {}", fmt::join(known, ", "));
  throw UsageError(fmt::format("{}: {}", found.position.text(), message));
}

void check_all_used(const Node& table) {
  const auto* members = std::get_if<Node::Members>(&table.value);
  if (members == nullptr) return;
  for (const auto& [key, node] : *members) {
    if (!node->used) fail_unknown(table, key, *node);
    if (node->separate) continue;
    check_all_used(*node);
    if (!is_list_of_tables(*node)) continue;
    for (const auto& entry : std::get<Node::List>(node->value)) check_all_used(*entry);
  }
}

}  // namespace

std::string Position::text() const { return line > 0 ? fmt::format("{}:{}:{}", source, line, column) : source; }

std::string Position::before() const { return source.empty() ? std::string() : text() + ": "; }

Table::Table() : node_(std::make_shared<Node>()) {}

Table::Table(std::shared_ptr<Node> node) : node_(std::move(node)) {}

Table Table::documentation() {
  Table table;
  table.node_->documenting = true;
  return table;
}

std::vector<KeyDoc> Table::documented() const {
  std::vector<KeyDoc> out;
  document(*node_, "", out);
  return out;
}

bool Table::has(std::string_view key) const { return node_->find(key) != nullptr; }

void Table::read(std::string_view key, double& value, std::string_view meaning, Range range) {
  read_number(*this, *node_, key, value, range, take(*node_, key, fmt::format("{}", value), meaning));
}

void Table::read(std::string_view key, std::int64_t& value, std::string_view meaning, Range range) {
  read_number(*this, *node_, key, value, range, take(*node_, key, fmt::format("{}", value), meaning));
}

void Table::read(std::string_view key, int& value, std::string_view meaning, Range range) {
  read_number(*this, *node_, key, value, range, take(*node_, key, fmt::format("{}", value), meaning));
}

void Table::read(std::string_view key, std::array<int, 2>& value, std::string_view meaning, Range range) {
  read_numbers(*this, *node_, key, value, range, take(*node_, key, as_toml(value), meaning));
}

void Table::read(std::string_view key, std::array<double, 2>& value, std::string_view meaning, Range range) {
  read_numbers(*this, *node_, key, value, range, take(*node_, key, as_toml(value), meaning));
}

void Table::read(std::string_view key, std::array<double, 3>& value, std::string_view meaning, Range range) {
  read_numbers(*this, *node_, key, value, range, take(*node_, key, as_toml(value), meaning));
}

void Table::read(std::string_view key, std::vector<std::int64_t>& value, std::string_view meaning, Range range) {
  const Node* found = take(*node_, key, fmt::format("[{}]", fmt::join(value, ", ")), meaning);
  if (found == nullptr) return;
  constexpr std::string_view expected = "an array of whole numbers";
  const auto* list = std::get_if<Node::List>(&found->value);
  if (list == nullptr) fail_type(*this, *node_, key, expected, *found);
  std::vector<std::int64_t> read_values(list->size());
  read_elements<std::int64_t>(*this, *node_, key, read_values, range, std::string(expected), *list);
  value = read_values;
}

void Table::read(std::string_view key, std::vector<std::array<double, 2>>& value, std::string_view meaning) {
  const Node* found = take(*node_, key, "[]", meaning);
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
}

void Table::read(std::string_view key, bool& value, std::string_view meaning) {
  const Node* found = take(*node_, key, fmt::format("{}", value), meaning);
  if (found == nullptr) return;
  const auto* boolean = std::get_if<bool>(&found->value);
  if (boolean == nullptr) fail_type(*this, *node_, key, "true or false", *found);
  value = *boolean;
}

void Table::read(std::string_view key, std::string& value, std::string_view meaning) {
  const Node* found = take(*node_, key, quote(value), meaning);
  if (found == nullptr) return;
  const auto* text = std::get_if<std::string>(&found->value);
  if (text == nullptr) {
    // On a command line the shell removes the quotes that TOML needs.
    const std::string as_string = fmt::format("'{}=\"{}\"'", join_path(node_->path, key), literal(*found));
    const bool argument = found->position.line == 0 && !literal(*found).empty();
    fail(key, fmt::format("{} must be a string, but is {}{}", name(*node_, key), describe(*found),
                          argument ? "; to make it one: --set " + as_string : ""));
  }
  value = *text;
}

void Table::choose(std::string_view key, int& index, std::span<const std::string_view> names,
                   std::string_view meaning) {
  const Node* found = take(*node_, key, quote(names[static_cast<std::size_t>(index)]),
                           fmt::format("{} ({})", meaning, fmt::join(names, " | ")));
  if (found == nullptr) return;
  const auto* text = std::get_if<std::string>(&found->value);
  const std::string choices = fmt::format("one of {}", fmt::join(names, ", "));
  if (text == nullptr) fail_type(*this, *node_, key, choices, *found);
  const auto chosen = std::find(names.begin(), names.end(), *text);
  if (chosen == names.end()) {
    const std::string_view near = nearest(*text, names);
    fail(key, fmt::format("{} is {}; it must be {}{}", name(*node_, key), quote(shorten(*text, 60)), choices,
                          near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  index = static_cast<int>(chosen - names.begin());
}

void Table::require(std::string_view key, std::string_view example) {
  if (node_->documenting) node_->required.emplace_back(key);
  if (node_->documenting || has(key)) return;
  std::string message = fmt::format("the required key {} is missing", name(*node_, key));
  if (!example.empty()) message += fmt::format("; for example: {}", example);
  const std::string_view near = node_->misspelling_of(key);
  if (!near.empty()) message += fmt::format("; is {} a misspelling of it?", quote(near));
  fail(key, message);
}

Table Table::table(std::string_view key, std::string_view meaning) {
  Asked& asked = note(*node_, key, Asked::Kind::table, "{}", meaning);
  const auto& members = std::get<Node::Members>(node_->value);
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
  if (found == members.end()) {
    if (!asked.below) asked.below = nothing_below(*node_, key, false);
    return Table(asked.below);
  }
  Node& below = *found->second;
  below.used = true;
  if (!std::holds_alternative<Node::Members>(below.value)) {
    fail_type(*this, *node_, key, fmt::format("one table, [{}]", join_path(node_->path, key)), below);
  }
  below.name_below(*node_, key, false);
  asked.below = found->second;
  return Table(found->second);
}

std::vector<Table> Table::tables(std::string_view key, std::string_view meaning) {
  Asked& asked = note(*node_, key, Asked::Kind::list, "[]", meaning);
  Node* found = node_->find(key);
  std::vector<Table> out;
  if (found == nullptr) {
    if (!asked.below) asked.below = nothing_below(*node_, key, true);
    if (node_->documenting) out.push_back(Table(asked.below));
    return out;
  }
  found->used = true;
  if (!is_list_of_tables(*found)) {
    fail_type(*this, *node_, key, fmt::format("a list of tables, [[{}]]", join_path(node_->path, key)), *found);
  }
  for (const auto& entry : std::get<Node::List>(found->value)) {
    entry->used = true;
    entry->name_below(*node_, key, true);
    asked.below = entry;
    out.push_back(Table(entry));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Table::entries() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, node] : std::get<Node::Members>(node_->value)) {
    node->used = true;
    if (const auto* text = std::get_if<std::string>(&node->value)) {
      out.emplace_back(key, *text);
    } else if (const auto* boolean = std::get_if<bool>(&node->value)) {
      out.emplace_back(key, fmt::format("{}", *boolean));
    } else if (const auto* whole = std::get_if<std::int64_t>(&node->value)) {
      out.emplace_back(key, fmt::format("{}", *whole));
    } else if (const auto* real = std::get_if<double>(&node->value); real != nullptr && holds(Range::any(), *real)) {
      out.emplace_back(key, fmt::format("{}", *real));
    } else {
      fail_type(*this, *node_, key, "a string, a finite number or a boolean", *node);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

void Table::finish() const { check_all_used(*node_); }

void Table::refuse_without(std::string_view owner, std::string_view key) const {
  if (has(key)) fail(key, fmt::format("\"{}\" has no meaning without {}", key, owner));
}

void Table::fail(std::string_view key, const std::string& message) const {
  const std::string place = position(key).text();
  throw UsageError(place.empty() ? message : fmt::format("{}: {}", place, message));
}

Position Table::position(std::string_view key) const {
  const Node* found = node_->find(key);
  return found != nullptr ? found->position : node_->position;
}

}  // namespace simreel
