#include "commands/key_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/text.h"
#include "scene/scene.h"

namespace simreel {
namespace {

template <class Names>
std::string quoted(const Names& names) {
  std::vector<std::string> words;
  for (const std::string_view name : names) words.push_back(quote(name));
  return fmt::format("{}", fmt::join(words, ", "));
}

// What a scene's own reads cannot know: it is the solvers that say which values these two take.
void name_solvers(std::vector<TableDoc>& tables) {
  std::vector<std::string_view> kinds;
  std::vector<std::string> fields;
  for (const SolverKind& kind : solver_kinds()) {
    kinds.push_back(kind.name);
    fields.push_back(fmt::format("{}: {}", kind.name,
                                 !kind.computes        ? "an array of the files"
                                 : kind.fields.empty() ? "a field of the scene"
                                                       : quoted(std::views::transform(kind.fields, &FieldInfo::name))));
  }
  for (TableDoc& table : tables)
    for (KeyDoc& doc : table.keys) {
      if (table.path == "solver" && doc.key == "kind") doc.range = quoted(kinds);
      if (table.path == "view" && doc.key == "field") doc.range = fmt::format("{}", fmt::join(fields, "; "));
    }
}

}  // namespace

std::string KeyTable::header() const {
  if (doc.path.empty()) return "";
  return doc.list ? fmt::format("[[{}]]", doc.path) : fmt::format("[{}]", doc.path);
}

std::vector<KeyTable> key_tables(const SolverKind& kind) {
  Table keys = Table::documentation("solver");
  kind.read(keys);
  std::vector<KeyTable> tables;
  for (TableDoc& doc : keys.documented()) tables.push_back({kind.name, std::move(doc)});
  tables.front().doc.meaning = kind.summary;
  return tables;
}

std::vector<KeyTable> key_tables() {
  std::vector<TableDoc> docs = scene_tables();
  name_solvers(docs);
  std::vector<KeyTable> tables;
  for (TableDoc& doc : docs) {
    const bool solver = doc.path == "solver";
    tables.push_back({"", std::move(doc)});
    if (!solver) continue;
    for (const SolverKind& kind : solver_kinds()) std::ranges::move(key_tables(kind), std::back_inserter(tables));
  }
  return tables;
}

std::string key_rows(const TableDoc& table) {
  std::size_t key_width = 3, default_width = 7;
  for (const KeyDoc& doc : table.keys) {
    key_width = std::max(key_width, doc.key.size());
    default_width = std::max(default_width, doc.shown_default().size());
  }
  std::string rows;
  for (const KeyDoc& doc : table.keys)
    rows += fmt::format("  {:<{}}  {:<{}}  {} ({})\n", doc.key, key_width, doc.shown_default(), default_width,
                        doc.meaning, doc.range);
  return rows;
}

}  // namespace simreel
