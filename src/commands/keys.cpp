#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/json.h"
#include "commands/key_tables.h"

namespace simreel {
namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string sentence(std::string_view text) {
  std::string out(text);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out + '.';
}

std::string title(const KeyTable& table) {
  if (table.doc.path.empty()) return "## Top level";
  if (table.kind.empty()) return fmt::format("## `{}`", table.header());
  if (table.doc.path == "solver") return fmt::format("### `[solver]` with `kind = \"{}\"`", table.kind);
  return fmt::format("#### `{}` of `kind = \"{}\"`", table.header(), table.kind);
}

// "number, greater than 0", with names as code.
std::string range_of(const KeyDoc& doc) {
  std::string out;
  bool name = false;
  for (const char c : doc.range) {
    if (c != '"') {
      out += c;
      continue;
    }
    out += name ? "\"`" : "`\"";
    name = !name;
  }
  return cell(out);
}

// The sides of typed equations are alike.
bool repeats_another(const KeyTable& table) {
  for (const std::string_view side : {".boundary.right", ".boundary.bottom", ".boundary.top", "u.boundary.left"})
    if (table.kind == "pde" && table.doc.path.find(side) != std::string::npos) return true;
  return false;
}

std::string keys_as_markdown(const std::vector<KeyTable>& tables) {
  std::string text = "# Every key of a scene file\n";
  for (const KeyTable& table : tables) {
    if (repeats_another(table)) continue;
    text += fmt::format("\n{}\n", title(table));
    if (!table.doc.meaning.empty()) text += fmt::format("\n{}\n", sentence(table.doc.meaning));
    if (!table.doc.keys.empty()) text += "\n| key | default | example | range | meaning |\n|---|---|---|---|---|\n";
    for (const KeyDoc& doc : table.doc.keys)
      text += fmt::format(
          "| `{}` | {} | `{}` | {} | {} |\n", doc.key,
          doc.default_words.empty() ? fmt::format("`{}`", cell(doc.default_value)) : cell(doc.default_words),
          cell(doc.example), range_of(doc), cell(doc.meaning));
  }
  return text;
}

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

void print(const SolverKind& kind) {
  fmt::print("kind = \"{}\"    {}\n", kind.name, kind.summary);
  fmt::print("  fields for [view]: {}\n  columns of a .csv: {}\n\n",
             !kind.computes        ? "the arrays of the files"
             : kind.fields.empty() ? "those of the scene"
                                   : field_choices(kind.fields, ""),
             fmt::join(kind.diagnostics, ", "));
  for (const KeyTable& table : key_tables(kind)) fmt::print("{}\n{}\n", table.header(), key_rows(table.doc));
}

int run(const std::string& name) {
  std::vector<std::string_view> names;
  for (const SolverKind& kind : solver_kinds()) names.push_back(kind.name);
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    throw UsageError("solvers {}: this program has: {}", shorten(name, 60), choices(name, names));
  for (const SolverKind& kind : solver_kinds())
    if (name.empty() || name == kind.name) print(kind);
  return 0;
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

void add_solvers(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("solvers", "List the solvers, or one, with their fields, columns and keys");
  const auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "One solver: wave, lbm, nbody or data");
  command->callback([name, &chosen] { chosen = [name] { return run(*name); }; });
}

}  // namespace simreel
