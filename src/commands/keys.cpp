#include <fmt/format.h>

#include <iterator>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/json.h"
#include "commands/key_tables.h"

namespace simreel {
namespace {

nlohmann::ordered_json as_json(const std::vector<KeyTable>& tables) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const KeyTable& table : tables) {
    nlohmann::ordered_json keys = nlohmann::ordered_json::array();
    for (const KeyDoc& doc : table.doc.keys)
      keys.push_back({{"key", doc.key},
                      {"default", doc.shown_default()},
                      {"range", doc.range},
                      {"meaning", doc.meaning},
                      {"example", doc.example}});
    list.push_back({{"table", table.doc.path},
                    {"list", table.doc.list},
                    {"kind", table.kind},
                    {"meaning", table.doc.meaning},
                    {"keys", std::move(keys)}});
  }
  return {{"tables", std::move(list)}};
}

void print(const std::vector<KeyTable>& tables) {
  for (const KeyTable& table : tables) {
    std::string title = table.doc.path.empty() ? "top level" : table.header();
    if (table.doc.path == "solver" && !table.kind.empty()) title += fmt::format(", kind = \"{}\"", table.kind);
    fmt::print("{}{}{}\n{}\n", title, table.doc.meaning.empty() ? "" : "    ", table.doc.meaning, key_rows(table.doc));
  }
}

}  // namespace

void add_keys(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("keys", "List every key of a scene file with its default, range and meaning");
  const auto json = std::make_shared<bool>(false), markdown = std::make_shared<bool>(false);
  const auto path = std::make_shared<std::string>();
  command->add_option("table", *path, "One table and those below it: view, solver.obstacle");
  CLI::Option* const option = command->add_flag("--json", *json, "Print JSON");
  command->add_flag("--markdown", *markdown, "Print Markdown")->excludes(option);
  command->callback([json, markdown, path, &chosen] {
    chosen = [json, markdown, path] {
      std::vector<KeyTable> tables = key_tables();
      std::set<std::string> paths;
      for (const KeyTable& table : tables) paths.insert(table.doc.path);
      if (!path->empty())
        std::erase_if(tables, [&](const KeyTable& table) {
          return !fmt::format("{}.", table.doc.path).starts_with(*path + '.');
        });
      if (tables.empty())
        throw UsageError("keys {}: no table has this name, but: {}", shorten(*path, 60),
                         choices(*path, std::vector<std::string_view>(std::next(paths.begin()), paths.end())));
      if (*json)
        print_result(as_json(tables));
      else if (*markdown)
        fmt::print("{}", keys_as_markdown(tables));
      else
        print(tables);
      return 0;
    };
  });
}

}  // namespace simreel
