#include "scene/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/mistakes.h"
#include "scene/node.h"

namespace simreel {
namespace {

using Node = Table::Node;
using Asked = Node::Asked;

// An absent table: reads of its keys find nothing, and errors give the place of the parent table.
std::shared_ptr<Node> nothing_below(const Node& above, std::string_view key, bool entry_of_list) {
  auto node = std::make_shared<Node>();
  node->position = above.position;
  node->documenting = above.documenting;
  node->name_below(above, key, entry_of_list);
  return node;
}

// The table itself first, then those below it.
void document(const Node& table, std::string meaning, std::vector<TableDoc>& out) {
  TableDoc doc{table.path, table.label.starts_with("[["), std::move(meaning), {}};
  for (const Asked& asked : table.asked)
    if (asked.kind == Asked::Kind::value) doc.keys.push_back(asked.doc);
  out.push_back(std::move(doc));
  for (const Asked& asked : table.asked)
    if (asked.below) document(*asked.below, asked.doc.meaning, out);
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

// Where else a key of this name is read, for messages: `"frames" in [animation]`, `[[solver.droplet]]`; empty: nowhere.
// Two at most, with " or ". A table is no misplaced value.
std::string other_place(const Node& table, const std::string& key, bool is_table) {
  std::string places;
  for (const Asked& asked : table.asked) {
    const bool value = asked.kind == Asked::Kind::value;
    const std::string place = asked.doc.key == key && !(value && is_table)
                                  ? (value ? name_in(table, key) + (table.label.empty() ? " at the top level" : "")
                                           : written(table, key, asked.kind))
                              : asked.below ? other_place(*asked.below, key, is_table)
                                            : "";
    if (place.empty() || place == places) continue;
    if (!places.empty()) return fmt::format("{} or {}", places, place);
    places = place;
  }
  return places;
}

// `root` is the table that `finish` began with.
std::string unknown_key(const Node& root, const Node& table, const std::string& key, const Node& found) {
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
  const std::string meant = kind == Asked::Kind::value ? meant_by(key, names) : "";
  const std::string_view near = meant.empty() ? nearest(key, names) : "";
  std::vector<std::string> known;
  for (const Asked& asked : table.asked) {
    const std::string text = written(table, asked.doc.key, asked.kind);
    if (asked.doc.key == near) message += fmt::format("; did you mean {}?", text);
    known.push_back(asked.kind == Asked::Kind::value ? asked.doc.key : text);
  }
  if (!meant.empty())
    message += fmt::format("; did you mean {}?", meant);
  else if (key == "particles" && table.path == "solver")
    message += "; particles are carried by a flow that simreel computes: kind = \"lbm\" has them";
  else if (const std::string other = near.empty() ? other_place(root, key, kind != Asked::Kind::value) : "";
           !other.empty())
    message +=
        fmt::format("; did you mean {}?", other.substr(0, table.label.empty() ? other.npos : other.find(" or ")));
  else if (near.empty() && !known.empty())
    message += fmt::format("; {}the known keys are {}",
                           std::ranges::find(names, "parameters") == names.end()
                               ? ""
                               : fmt::format("a coefficient of the equations belongs into {}; ",
                                             written(table, "parameters", Asked::Kind::table)),
                           fmt::join(known, ", "));
  return found.position.before() + message;
}

// Throws the first unknown key, or collects them all.
void check_all_used(const Node& root, const Node& table) {
  const auto* members = std::get_if<Node::Members>(&table.value);
  if (members == nullptr) return;
  for (const auto& [key, node] : *members) {
    if (!node->used) {
      const std::string mistake = unknown_key(root, table, key, *node);
      if (!root.collects()) throw UsageError(mistake);
      root.mistakes->list.push_back(mistake);
      continue;
    }
    if (node->unchecked) continue;
    check_all_used(root, *node);
    if (!is_list_of_tables(*node)) continue;
    for (const auto& entry : std::get<Node::List>(node->value))
      if (!entry->unchecked) check_all_used(root, *entry);
  }
}

// Adds the keys that `read` documented to what is known of `table`, and takes those that are there for read: what ended
// the reading of the table hides none of them.
void learn(Node& table, const Node& read) {
  auto* const members = std::get_if<Node::Members>(&table.value);
  if (members == nullptr || read.asked.empty() || read.own_names) {
    table.unchecked = true;
    return;
  }
  for (const Asked& asked : read.asked) {
    if (std::ranges::find(table.asked, asked.doc.key, [](const Asked& a) { return a.doc.key; }) == table.asked.end())
      table.asked.push_back(asked);
    const auto found = std::ranges::find(*members, asked.doc.key, &Node::Members::value_type::first);
    if (found == members->end()) continue;
    Node& node = *found->second;
    node.used = true;
    auto* const list = std::get_if<Node::List>(&node.value);
    if (asked.kind == Asked::Kind::list && is_list_of_tables(node)) {
      for (const auto& entry : *list) {
        entry->name_below(table, asked.doc.key, true);
        learn(*entry, *asked.below);
      }
    } else if (asked.kind == Asked::Kind::table && list == nullptr) {
      node.name_below(table, asked.doc.key, false);
      learn(node, *asked.below);
    } else {
      node.unchecked = true;
    }
  }
}

// After `read` ended early: calls it again for this table as one that documents, which answers every read, and learns
// its keys. Where that ends early too, unknown keys of the table cannot be told.
void learn_keys(Node& table, const std::function<void()>& read) {
  Node documented;
  documented.documenting = true;
  documented.path = table.path;
  documented.label = table.label;
  std::swap(table, documented);
  bool whole = true;
  try {
    read();
  } catch (const UsageError&) {
    whole = false;
  }
  std::swap(table, documented);
  if (whole)
    learn(table, documented);
  else
    table.unchecked = true;
}

}  // namespace

std::string Position::text() const {
  return line > 0 && !source.empty() ? fmt::format("{}:{}:{}", source, line, column) : source;
}

std::string Position::before() const { return source.empty() ? std::string() : text() + ": "; }

Table::Table() : node_(std::make_shared<Node>()) {}

Table::Table(std::shared_ptr<Node> node) : node_(std::move(node)) {}

Table Table::documentation(std::string path) {
  Table table;
  table.node_->documenting = true;
  if (!path.empty()) table.node_->label = fmt::format("[{}]", path);
  table.node_->path = std::move(path);
  return table;
}

std::vector<TableDoc> Table::documented() const {
  std::vector<TableDoc> out;
  document(*node_, "", out);
  return out;
}

bool Table::has(std::string_view key) const { return node_->find(key) != nullptr; }

bool Table::has_table(std::string_view key) const {
  const Node* const found = node_->find(key);
  return found != nullptr && std::holds_alternative<Node::Members>(found->value);
}

bool Table::is_default(std::string_view key) const {
  const Node* const found = node_->find(key);
  return found != nullptr && found->is_default;
}

void Table::require(std::string_view key, std::string_view example) {
  if (node_->documenting) {
    const std::size_t equals = example.find("= ");
    node_->required.emplace_back(key, equals == std::string_view::npos ? "" : example.substr(equals + 2));
    return;
  }
  if (has(key)) return;
  std::string message = fmt::format("the required key {} is missing", name_in(*node_, key));
  if (!example.empty()) message += fmt::format("; for example: {}", example);
  const std::string_view near = node_->misspelling_of(key);
  if (!near.empty()) {
    message += fmt::format("; is {} a misspelling of it?", quote(near));
    node_->find(near)->used = true;  // not a second mistake
  }
  // Whether it is required may depend on a key that is wrong.
  if (node_->collects() && node_->mistakes->list.size() > node_->mistakes->section) return;
  attempt(*node_, key, [&] { fail(key, message); });
}

void Table::collect() { node_->mistakes = std::make_shared<Node::Mistakes>(); }

void Table::section(const std::function<void()>& read) {
  if (!node_->collects()) return read();
  Node::Mistakes& mistakes = *node_->mistakes;
  const std::size_t outer = std::exchange(mistakes.section, mistakes.list.size());
  try {
    read();
  } catch (const UsageError& error) {
    if (mistakes.list.size() == mistakes.section) mistakes.list.emplace_back(error.what());
    if (!node_->path.empty()) learn_keys(*node_, read);
  }
  mistakes.section = outer;
}

Table Table::table(std::string_view key, std::string_view meaning) {
  Asked& asked = node_->note(Asked::Kind::table, {std::string(key), {}, {}, {}, std::string(meaning), {}});
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
    asked.below = nothing_below(*node_, key, false);
    attempt(*node_, key,
            [&] { fail_type(*this, *node_, key, fmt::format("one table, [{}]", join_path(node_->path, key)), below); });
    return Table(asked.below);
  }
  below.name_below(*node_, key, false);
  asked.below = found->second;
  return Table(found->second);
}

Table Table::separate_table(std::string_view key, std::string_view meaning, std::string_view example) {
  Node* const found = node_->find(key);
  if (found != nullptr) {
    found->unchecked = true;
  } else if (!node_->documenting) {
    node_->note(Asked::Kind::table, {std::string(key), {}, {}, {}, std::string(meaning), {}});
    const std::string_view near = node_->misspelling_of(key);
    const std::string missing = fmt::format("the table [{}] is missing; ", join_path(node_->path, key));
    if (!near.empty()) node_->find(near)->used = node_->find(near)->unchecked = true;  // not a second mistake
    fail(key, missing + (near.empty() ? std::string(example) : fmt::format("is [{}] a misspelling of it?", near)));
  }
  return table(key, meaning);
}

std::vector<Table> Table::tables(std::string_view key, std::string_view meaning) {
  Asked& asked = node_->note(Asked::Kind::list, {std::string(key), {}, {}, {}, std::string(meaning), {}});
  Node* found = node_->find(key);
  std::vector<Table> out;
  if (found == nullptr) {
    if (!asked.below) asked.below = nothing_below(*node_, key, true);
    if (node_->documenting) out.push_back(Table(asked.below));
    return out;
  }
  found->used = true;
  if (!is_list_of_tables(*found)) {
    attempt(*node_, key, [&] {
      fail_type(*this, *node_, key, fmt::format("a list of tables, [[{}]]", join_path(node_->path, key)), *found);
    });
    return out;
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
    } else if (const auto* real = std::get_if<double>(&node->value); real != nullptr && std::isfinite(*real)) {
      out.emplace_back(key, fmt::format("{}", *real));
    } else {
      attempt(*node_, key, [&] { fail_type(*this, *node_, key, "a string, a finite number or a boolean", *node); });
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> Table::names(std::string_view example) const {
  node_->own_names = true;
  if (node_->documenting) return {std::string(example)};
  std::vector<std::string> out;
  for (const auto& [key, node] : std::get<Node::Members>(node_->value)) out.push_back(key);
  return out;
}

void Table::note(const std::function<void()>& check) { attempt(*node_, "", check); }

void Table::finish() const {
  check_all_used(*node_, *node_);
  if (!node_->collects()) return;
  node_->mistakes->open = false;
  if (!node_->mistakes->list.empty()) throw SceneMistakes(std::move(node_->mistakes->list), node_->position.source);
}

void Table::refuse(std::string_view key, std::string_view here) const {
  if (!has(key)) return;
  const std::string words = fmt::format("\"{}\" has no meaning {}", key, here);
  if (!is_default(key)) fail(key, words);
  remark(key, words + "; it is the default, and changes nothing");
}

void Table::remark(const PlacedText& message) const {
  if (message.text.empty()) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::vector<std::string>& all = node_->remarks;
  if (std::string text = message.place.before() + message.text; std::ranges::find(all, text) == all.end())
    all.push_back(std::move(text));
}

std::vector<std::string> Table::remarks() const {
  std::vector<std::string> all = node_->remarks;
  const auto add = [&](const std::shared_ptr<Node>& below) {
    std::ranges::move(Table(below).remarks(), std::back_inserter(all));
  };
  if (const auto* members = std::get_if<Node::Members>(&node_->value))
    for (const auto& [key, below] : *members) add(below);
  if (const auto* list = std::get_if<Node::List>(&node_->value)) std::ranges::for_each(*list, add);
  return all;
}

void Table::fail(std::string_view key, const std::string& message) const {
  throw UsageError(position(key).before() + message);
}

Position Table::position(std::string_view key) const {
  const Node* found = node_->find(key);
  return found != nullptr ? found->position : node_->position;
}

std::optional<std::string> Table::text_of(std::string_view path) const {
  const Node* node = node_.get();
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    if (const auto* list = std::get_if<Node::List>(&node->value)) {
      const std::size_t index = parse_number<std::size_t>(part).value_or(list->size());
      node = index < list->size() ? (*list)[index].get() : nullptr;
    } else {
      node = node->find(part);
    }
  }
  if (node == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(&node->value)) return *text;
  const std::string number = literal(*node);
  return number.empty() ? std::nullopt : std::optional(number);
}

}  // namespace simreel
