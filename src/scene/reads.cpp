#include "scene/reads.h"

#include <cmath>
#include <cstdlib>

#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

using Node = Table::Node;
using Asked = Node::Asked;

// Large round bounds with an exponent: 1e+15.
std::string bound(double value) {
  const std::string brief = fmt::format("{:g}", value);
  return std::abs(value) >= 1e9 && std::strtod(brief.c_str(), nullptr) == value ? brief : fmt::format("{}", value);
}

// As the reads write a default: 1.0 as "1".
std::string plain(const Node& node) {
  if (const auto* real = std::get_if<double>(&node.value)) return fmt::format("{}", *real);
  const auto* list = std::get_if<Node::List>(&node.value);
  if (list == nullptr) return literal(node);
  std::vector<std::string> entries;
  for (const auto& entry : *list) entries.push_back(plain(*entry));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

}  // namespace

std::string in_words(const Range& range) {
  constexpr double max = std::numeric_limits<double>::max();
  const bool low = range.low > -max, high = range.high < max;
  std::string above = fmt::format("{} {}", range.open_low ? "greater than" : "at least", bound(range.low));
  std::string below = fmt::format("{} {}", range.open_high ? "less than" : "at most", bound(range.high));
  if (low && high && !range.open_low && !range.open_high)
    return fmt::format("between {} and {}", bound(range.low), bound(range.high));
  if (low && high) return above + " and " + below;
  if (low) return above;
  if (high) return below;
  return "a finite number";
}

bool holds(const Range& range, long double value) {
  const bool low = range.open_low ? value > range.low : value >= range.low;
  const bool high = range.open_high ? value < range.high : value <= range.high;
  return low && high;
}

std::string with_range(std::string kind, const Range& range) {
  constexpr double max = std::numeric_limits<double>::max();
  const bool any = range.low <= -max && range.high >= max;
  return any ? kind : fmt::format("{}, {}", kind, in_words(range));
}

std::optional<double> percentage(const Node& node, const Range& range) {
  const auto* const text = std::get_if<std::string>(&node.value);
  if (text == nullptr || !text->ends_with('%') || range.low < 0 || range.high != 1) return {};
  return number_or_percentage(*text);
}

void read_value(Node& table, std::string_view key, const std::string& default_literal, std::string range, KeyText text,
                const std::function<void(const Node&)>& take) {
  attempt(table, key, [&] {
    table.note(Asked::Kind::value, {.key = std::string(key),
                                    .default_value = text.default_words.empty() ? default_literal : std::string(),
                                    .default_words = std::string(text.default_words),
                                    .range = std::move(range),
                                    .meaning = std::string(text.meaning),
                                    .example = text.example.empty() ? default_literal : std::string(text.example)});
    Node* const found = table.find(key);
    if (found == nullptr) return;
    found->used = true;
    found->is_default = !text.unset && plain(*found) == default_literal;
    take(*found);
  });
}

std::string array_hint(const Node& found, std::size_t count) {
  const auto* text = std::get_if<std::string>(&found.value);
  const std::string array = text != nullptr ? numbers_as_array(*text, count) : "";
  return array.empty() ? "" : "; write " + array;
}

std::string whole_hint(const Node& found, const Range& range) {
  const auto* const real = std::get_if<double>(&found.value);
  if (real == nullptr || std::abs(*real) > 1e15 || *real != std::floor(*real) || !holds(range, *real)) return "";
  return fmt::format("; a whole number has no point and no exponent: {:.0f}", *real);
}

std::string unquoted_hint(const Node& found, const Range& range) {
  const auto* text = std::get_if<std::string>(&found.value);
  const std::optional<double> value = text == nullptr ? std::nullopt : number_or_percentage(*text);
  if (!value || text->ends_with('%') || found.position.line == 0) return "";
  const bool share = range.low >= 0 && range.high == 1 && *value > 1 && *value <= 100;
  if (share) return fmt::format("; for a share of the whole write {}", quote(*text + "%"));
  return holds(range, *value) ? fmt::format("; leave the quotes out: {}", *text) : "";
}

const std::string& text_in(const Table& table, const Node& node, std::string_view key, const Node& found) {
  if (const auto* text = std::get_if<std::string>(&found.value)) return *text;
  // On a command line the shell removes the quotes that TOML needs.
  const std::string as_string = fmt::format("'{}=\"{}\"'", join_path(node.path, key), literal(found));
  const bool argument = found.position.line == 0 && !literal(found).empty();
  table.fail(key, "{} must be a string, but is {}{}", name_in(node, key), describe(found),
             argument ? "; to make it one: --set " + as_string : "");
}

std::string written_quantity(const std::string& text) { return numbers_as_array(text, 1).empty() ? quote(text) : text; }

void read_quantity(Table& table, std::string_view key, std::string& text, KeyText documentation) {
  const std::string given = table.text_of(key).value_or("");
  if (numbers_as_array(given, 1).empty())
    table.read(key, text, documentation);
  else
    text = given;
}

}  // namespace simreel
