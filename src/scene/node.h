#pragma once
// What a Table looks at: a scene file's values as a tree that keeps their places and notes which of them were read.
// Only src/scene/ includes this.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scene/table.h"

namespace simreel {

struct Table::Node {
  struct Moment {};  // a date or a time of day: TOML has them, no key takes one
  using List = std::vector<std::shared_ptr<Node>>;
  using Members = std::vector<std::pair<std::string, std::shared_ptr<Node>>>;  // in the order of the file

  // A key that was asked for, there or not.
  struct Asked {
    enum class Kind { value, table, list };
    Kind kind = Kind::value;
    KeyDoc doc;
    std::shared_ptr<Node> below;  // of a table or list: where the reads of its keys are noted
  };

  std::variant<Members, List, bool, std::int64_t, double, std::string, Moment> value;
  Position position;  // of the key; of the header for [table] and [[table]]
  bool used = false;
  bool separate = false;  // its keys are checked by another reader, not by the `finish` of the table above

  // Of a table, once it was asked for.
  std::string path;   // "solver.droplet"; empty for the whole scene
  std::string label;  // "[[solver.droplet]]"; empty for the whole scene
  bool documenting = false;
  std::vector<Asked> asked;
  std::vector<std::string> required;  // noted by `require` of a documenting table

  Node* find(std::string_view key) const;  // null: no such key, or no table

  // Makes this the table `key` of `above`, so that messages can name it.
  void name_below(const Node& above, std::string_view key, bool entry_of_list);

  // A key that is there, was not read, and may be a misspelling of `key`; empty where there is none.
  std::string_view misspelling_of(std::string_view key) const;
};

// A string, number or boolean as TOML writes it, long strings cut short; empty for anything else.
std::string literal(const Table::Node&);

// What a value is, for messages: `the string "fast"`, `an array of 3 values`.
std::string describe(const Table::Node&);

// `path` with `key` added, quoted where a file would need quotes.
std::string join_path(std::string_view path, std::string_view key);

}  // namespace simreel
