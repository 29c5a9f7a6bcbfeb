#pragma once
// The values of a scene file as a tree that knows their positions and records which of them were read; Table is a view
// of it. Only src/scene/ includes this.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scene/table.h"

namespace simreel {

struct Table::Node {
  struct Moment {};  // a date or a time of day: part of TOML, accepted by no key
  using List = std::vector<std::shared_ptr<Node>>;
  using Members = std::vector<std::pair<std::string, std::shared_ptr<Node>>>;  // in the order of the file

  // A key that was read, present or not.
  struct Asked {
    enum class Kind { value, table, list };
    Kind kind = Kind::value;
    KeyDoc doc;                   // for a table or list: key and meaning
    std::shared_ptr<Node> below;  // for a table or list: records the reads of its keys
  };

  std::variant<Members, List, bool, std::int64_t, double, std::string, Moment> value;
  Position position;  // of the key; of the header for [table] and [[table]]
  Position text;      // of the first character within the quotes, for a string
  bool used = false;
  bool is_default = false;  // the value is the default of its last read
  bool unchecked = false;   // `finish` of the parent table looks for no unknown keys here: another reader does, or the
                            // reads of this table ended early
  bool own_names = false;   // its keys are names that the user makes up

  // For a table that was read.
  std::string path;   // "solver.droplet"; empty for the whole scene
  std::string label;  // "[[solver.droplet]]"; empty for the whole scene
  bool documenting = false;
  std::vector<Asked> asked;
  std::vector<std::string> remarks;  // Table::remarks of this table alone
  std::vector<std::pair<std::string, std::string>>
      required;  // keys and examples; recorded by `require` of a documenting table

  // The mistakes that the tables of a scene collect, until `finish` closes the list. Null or closed: they are thrown.
  struct Mistakes {
    bool open = true;
    std::vector<std::string> list;
    std::size_t section = 0;  // the length of the list at the start of the current Table::section
  };
  std::shared_ptr<Mistakes> mistakes;
  bool collects() const { return mistakes && mistakes->open; }

  Node* find(std::string_view key) const;  // null: no such key, or not a table

  // Records the read of `doc.key`. Only the first read of a key counts.
  Asked& note(Asked::Kind kind, KeyDoc doc);

  // Makes this the table `key` of `above`, so that messages can name it.
  void name_below(const Node& above, std::string_view key, bool entry_of_list);

  // A key that is present, was not read, and may be a misspelling of `key`; empty if there is none.
  std::string_view misspelling_of(std::string_view key) const;
};

// A string (long ones shortened), number or boolean in TOML notation; empty for anything else.
std::string literal(const Table::Node&);

// Describes a value for messages: `the string "fast"`, `an array of 3 values`.
std::string describe(const Table::Node&);

// `"speed" in [solver]`: the name of a key in messages.
std::string name_in(const Table::Node& table, std::string_view key);

// Throws UsageError: "speed" in [solver] must be a number, but is the string "fast".
[[noreturn]] void fail_type(const Table&, const Table::Node& node, std::string_view key, std::string_view expected,
                            const Table::Node& found, std::string_view hint = "");

// Calls `read`, which reads `key` of the table. Where mistakes are collected, an error that it throws is noted.
void attempt(Table::Node& table, std::string_view key, const std::function<void()>& read);

// The numbers of a text such as "640x480" or "0, 1" as a TOML array, if there are `count`; otherwise empty.
std::string numbers_as_array(std::string_view text, std::size_t count);

// Appends `key` to `path`, quoted if TOML requires quotes.
std::string join_path(std::string_view path, std::string_view key);

}  // namespace simreel
