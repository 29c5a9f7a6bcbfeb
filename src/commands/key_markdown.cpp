#include <fmt/format.h>

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

}  // namespace

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

}  // namespace simreel
