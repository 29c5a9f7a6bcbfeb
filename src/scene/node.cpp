#include "scene/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

template <class... F>
struct Overload : F... {
  using F::operator()...;
};

}  // namespace

Table::Node* Table::Node::find(std::string_view key) const {
  const auto* members = std::get_if<Members>(&value);
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(), [&](const auto& m) { return m.first == key; });
  return found == members->end() ? nullptr : found->second.get();
}

Table::Node::Asked& Table::Node::note(Asked::Kind kind, KeyDoc doc) {
  const auto known = std::ranges::find(asked, doc.key, [](const Asked& a) -> const std::string& { return a.doc.key; });
  if (known != asked.end()) return *known;
  for (const auto& [key, example] : required) {
    if (key != doc.key) continue;
    doc.default_value.clear();
    if (doc.default_words.empty()) doc.default_words = "required";
    if (!example.empty()) doc.example = example;
  }
  return asked.emplace_back(Asked{kind, std::move(doc), nullptr});
}

void Table::Node::name_below(const Node& above, std::string_view key, bool entry_of_list) {
  path = join_path(above.path, key);
  mistakes = above.mistakes;
  label = entry_of_list ? fmt::format("[[{}]]", path) : fmt::format("[{}]", path);
}

std::string_view Table::Node::misspelling_of(std::string_view key) const {
  std::vector<std::string_view> unread;
  if (const auto* members = std::get_if<Members>(&value))
    for (const auto& [name, node] : *members)
      if (!node->used) unread.push_back(name);
  return nearest(key, unread);
}

std::string literal(const Table::Node& node) {
  constexpr std::size_t longest = 60;
  return std::visit(Overload{
                        [](bool value) { return fmt::format("{}", value); },
                        [](std::int64_t value) { return fmt::format("{}", value); },
                        [](double value) {
                          const std::string digits = fmt::format("{}", value);
                          const bool whole = digits.find_first_not_of("-0123456789") == std::string::npos;
                          return whole ? digits + ".0" : digits;
                        },
                        [](const std::string& text) { return quote(shorten(text, longest)); },
                        [](const auto&) { return std::string(); },
                    },
                    node.value);
}

std::string describe(const Table::Node& node) {
  return std::visit(Overload{
                        [](const Table::Node::Members&) -> std::string { return "a table"; },
                        [](const Table::Node::List& list) {
                          return fmt::format("an array of {} value{}", list.size(), list.size() == 1 ? "" : "s");
                        },
                        [&](bool) { return "the boolean " + literal(node); },
                        [&](std::int64_t) { return "the whole number " + literal(node); },
                        [&](double) { return "the number " + literal(node); },
                        [&](const std::string&) { return "the string " + literal(node); },
                        [](const Table::Node::Moment&) -> std::string { return "a date or time"; },
                    },
                    node.value);
}

std::string name_in(const Table::Node& table, std::string_view key) {
  const std::string quoted = quote(shorten(key, 60));
  return table.label.empty() ? quoted : fmt::format("{} in {}", quoted, table.label);
}

void fail_type(const Table& table, const Table::Node& node, std::string_view key, std::string_view expected,
               const Table::Node& found, std::string_view hint) {
  table.fail(key, "{} must be {}, but is {}{}", name_in(node, key), expected, describe(found), hint);
}

void attempt(Table::Node& table, std::string_view key, const std::function<void()>& read) {
  if (!table.collects()) return read();
  try {
    read();
  } catch (const UsageError& error) {
    table.mistakes->list.emplace_back(error.what());
    if (Table::Node* const found = table.find(key)) found->unchecked = true;
  }
}

std::string numbers_as_array(std::string_view text, std::size_t count) {
  std::vector<std::string_view> numbers;
  while (!(text = trim(text)).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of("xX,; "));
    if (!std::isfinite(parse_number<double>(word).value_or(NAN))) return "";
    numbers.push_back(word);
    text = trim(text.substr(word.size()));
    if (!text.empty() && std::string_view("xX,;").find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  }
  return numbers.size() == count ? fmt::format("[{}]", fmt::join(numbers, ", ")) : "";
}

std::string join_path(std::string_view path, std::string_view key) {
  std::string out(path);
  if (!out.empty()) out += '.';
  return out + (is_bare(key) ? std::string(key) : quote(shorten(key, 60)));
}

}  // namespace simreel
