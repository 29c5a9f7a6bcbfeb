#pragma once
// One table of a scene file, read key by key. Every read names the key, the variable that holds its default, the range
// and the meaning. So one list of reads yields the values, the errors with their places, the check for misspelt keys,
// and the documentation that `simreel keys` prints.

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// The place of a value: a file (or "--set solver.speed=2") with line and column, both from 1.
struct Position {
  std::string source;
  int line = 0, column = 0;  // 0: the source has no lines (a command-line argument)

  std::string text() const;    // "scenes/x.toml:12:5", or the source alone
  std::string before() const;  // the same followed by ": ", to begin a message; empty if there is no source
};

// A text of a scene, and the place of its first character within the quotes.
struct PlacedText {
  std::string text;
  Position place;
};

// The interval a number must lie in; a bound that is `open` is excluded. NaN and infinity lie in no interval.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool open_low = false, open_high = false;

  static Range any() { return {}; }
  static Range at_least(double low) { return {low, std::numeric_limits<double>::max(), false}; }
  static Range above(double low) { return {low, std::numeric_limits<double>::max(), true}; }
  static Range between(double low, double high) { return {low, high, false}; }
  static Range inside(double low, double high) { return {low, high, true, true}; }
};

// The documentation of a read: the meaning of the key, with its unit. `default_words` replaces a default that is not
// one value ("the middle of the grid"). `example` is a valid value as TOML, required if the default is not one.
struct KeyText {
  std::string_view meaning, default_words, example;
  bool unset = false;                                // no value is the default
  KeyText(const char* text) : meaning(text) {}       // NOLINT(google-explicit-constructor)
  KeyText(std::string_view text) : meaning(text) {}  // NOLINT(google-explicit-constructor)
  KeyText(std::string_view text, std::string_view words, std::string_view value = {})
      : meaning(text), default_words(words), example(value) {}

  KeyText unless_set() const {
    KeyText text(meaning, default_words.empty() ? "unset" : default_words, example);
    text.unset = true;
    return text;
  }
};

// The documentation of a key.
struct KeyDoc {
  std::string key;            // below its table: "radius"
  std::string default_value;  // as TOML; empty if there are `default_words`
  std::string default_words;  // "required", "unset", "the middle of the grid"
  std::string range;          // type and values: "number, greater than 0"
  std::string meaning;        // with the unit
  std::string example;        // a valid value as TOML

  const std::string& shown_default() const { return default_words.empty() ? default_value : default_words; }
};

struct TableDoc {
  std::string path;  // "solver.rain"; empty for the top level
  bool list;         // [[path]]
  std::string meaning;
  std::vector<KeyDoc> keys;
};

class Table {
 public:
  struct Node;  // a parsed value; scene/node.h, which only src/scene/ includes

  Table();  // an empty table: every read keeps its default
  explicit Table(std::shared_ptr<Node> node);

  // A table without values, which answers every read (required keys too) with the default and records the key. `path`
  // is its place in a scene: "solver"; empty for the whole scene.
  static Table documentation(std::string path = {});
  // The keys that were read from this table and from those below it, in the order of the first reads.
  std::vector<TableDoc> documented() const;

  bool has(std::string_view key) const;
  bool has_table(std::string_view key) const;   // whether the scene gives a table of that name
  bool is_default(std::string_view key) const;  // whether the scene gives the default; of a key that was read

  // A read leaves `value` unchanged if the key is absent. It throws UsageError with the key's place if the value has
  // the wrong type, is out of `range` or names no choice. Integers are accepted as real numbers.
  void read(std::string_view key, double& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, std::int64_t& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, int& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, bool& value, KeyText text);
  void read(std::string_view key, std::string& value, KeyText text);
  void read(std::string_view key, std::array<int, 2>& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, std::array<double, 2>& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, std::array<double, 3>& value, KeyText text, Range range = Range::any());
  void read(std::string_view key, std::array<double, 4>& value, KeyText text);
  // An array of any length, possibly empty.
  void read(std::string_view key, std::vector<std::int64_t>& value, KeyText text, Range range = Range::any());
  // Texts, none of them empty.
  void read(std::string_view key, std::vector<std::string>& value, KeyText text);
  // A list of pairs of any length: [[0, 0], [10, 0], [5, 8]].
  void read(std::string_view key, std::vector<std::array<double, 2>>& value, KeyText text);
  // A list of boxes: [[0, 0, 10, 5]].
  void read(std::string_view key, std::vector<std::array<int, 4>>& value, KeyText text);
  // A list of names with a number each: [["energy", 1e-6]].
  void read(std::string_view key, std::vector<std::pair<std::string, double>>& value, KeyText text);
  // "#rrggbb" or "#rrggbbaa".
  void read(std::string_view key, Color& value, KeyText text);

  // A value without default: stays empty if the key is absent. Its default is documented as "unset", or as the text
  // says.
  template <class T>
  void read(std::string_view key, std::optional<T>& value, KeyText text) {
    T given{};
    read(key, given, text.unless_set());
    if (has(key)) value = given;
  }
  template <class T>
  void read(std::string_view key, std::optional<T>& value, KeyText text, Range range) {
    T given{};
    read(key, given, text.unless_set(), range);
    if (has(key)) value = given;
  }

  // One of several names. `index` is the index in `names` of the default on entry and of the choice on return.
  void choose(std::string_view key, int& index, std::span<const std::string_view> names, KeyText text);
  template <class Enum>
  void choose(std::string_view key, Enum& value, std::span<const std::string_view> names, KeyText text) {
    int index = static_cast<int>(value);
    choose(key, index, names, text);
    value = static_cast<Enum>(index);
  }
  // One of several integers.
  void choose(std::string_view key, int& value, std::span<const int> numbers, KeyText text);

  // A key with two forms: a name or a value, an integer or a pair. Returns whether the scene gives the second form,
  // which messages and the documentation call `form`: "[low, high]".
  bool read_either(std::string_view key, int& index, std::span<const std::string_view> names, double& value,
                   std::string_view form, KeyText text, Range range = Range::any());
  bool read_either(std::string_view key, int& index, std::span<const std::string_view> names,
                   std::array<double, 2>& value, std::string_view form, KeyText text, Range range = Range::any());
  // true, false or a name. Returns whether the scene gives a name.
  bool read_either(std::string_view key, bool& value, int& index, std::span<const std::string_view> names,
                   KeyText text);
  bool read_either(std::string_view key, int& value, Range range, std::array<int, 2>& pair, Range pair_range,
                   std::string_view form, KeyText text);

  // One of several names, or a text for which `is_text` holds. Returns whether the scene gives such a text.
  bool choose_or_text(std::string_view key, int& index, std::span<const std::string_view> names, PlacedText& text,
                      bool (*is_text)(std::string_view), std::string_view form, KeyText documentation);
  // A number, or a text of the given form: "a formula "= ..." of x and y". Returns whether the scene gives a text.
  bool read_number_or_text(std::string_view key, double& value, PlacedText& text, std::string_view form,
                           KeyText documentation, Range range = Range::any());
  void read(std::string_view key, PlacedText& value, KeyText text);
  // A whole number, or a list of numbers, which is the second form.
  bool read_either(std::string_view key, int& value, Range range, std::vector<double>& list, std::string_view form,
                   KeyText text);

  // Throws UsageError if the key is absent; call it before reading a key without a default. The message shows
  // `example`: "grid = [512, 512]".
  void require(std::string_view key, std::string_view example = {});

  // A table below this one, empty if it is absent. `finish` of this table checks its keys as well.
  Table table(std::string_view key, std::string_view meaning);
  // A required table whose keys another reader checks with a `finish` of its own. Throws UsageError, with `example`, if
  // it is absent.
  Table separate_table(std::string_view key, std::string_view meaning, std::string_view example);
  // [[key]]: one Table per entry, none if it is absent. A documentation table gives one, so that its keys are recorded.
  std::vector<Table> tables(std::string_view key, std::string_view meaning);
  // All keys and values of a table of strings, numbers and booleans, as text, sorted by key (for options that are
  // passed on).
  std::vector<std::pair<std::string, std::string>> entries() const;

  // The keys of a table whose names the user makes up, in the order of the file. A documentation table has `example`.
  std::vector<std::string> names(std::string_view example) const;

  // From now on mistakes in this table and in those below it are collected: a read that fails leaves its value, and
  // `finish` throws SceneMistakes (mistakes.h) with all of them.
  void collect();
  // Calls `read`, which reads this table. Where mistakes are collected, an error that it throws is one of them, unless
  // another came before it in this section: it may be only a consequence of that one. `read` is then called once more,
  // on a table without values, to learn the keys that it did not come to; it must accept such a table.
  void section(const std::function<void()>& read);

  // Calls `check`. Where mistakes are collected, an error that it throws is one of them.
  void note(const std::function<void()>& check);

  // Throws UsageError for the first key, here or in a table below, that was not read, with the nearest known key; where
  // mistakes are collected, for all of them. From then on errors are thrown again.
  void finish() const;

  // Throws UsageError if the scene gives `key`, which was read and has no meaning `here` ("for shape = \"disk\""); of
  // its default it remarks on it. The second: which only `owner` ("an inlet") would use.
  void refuse(std::string_view key, std::string_view here) const;
  void refuse_without(std::string_view owner, std::string_view key) const {
    refuse(key, fmt::format("without {}", owner));
  }
  // Notes a remark on `key`, or on a place in a text of this table, once; from any thread. `remarks`: all on this table
  // and those below it, with their places.
  void remark(std::string_view key, const std::string& message) const { remark({message, position(key)}); }
  void remark(const PlacedText& message) const;  // nothing for no text
  std::vector<std::string> remarks() const;

  // Throws UsageError: the place of `key` (of the table, if the key is absent), then `message`, given as it is or as to
  // fmt::format.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  template <class First, class... Rest>
  [[noreturn]] void fail(std::string_view key, fmt::format_string<First, Rest...> message, First&& first,
                         Rest&&... rest) const {
    fail(key, fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  Position position(std::string_view key) const;

  // The value at a path below this table, "solver.grid.0", as it is written in TOML but for the quotes of a text;
  // nullopt if there is none, or no number, text or boolean.
  std::optional<std::string> text_of(std::string_view path) const;

 private:
  std::shared_ptr<Node> node_;
};

}  // namespace simreel
