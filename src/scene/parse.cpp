// The library's own asserts end the process on malformed text (3.3: "[=" and a line end), so the parser is compiled
// here without them instead of linked. With dotted keys of 64 dots the nesting limit allows trees of some 1200 levels,
// and what recurses over them takes less than 512 KiB of stack in an optimised build, more under sanitizers.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_MAX_NESTED_VALUES 16

#include "scene/parse.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/toml_hint.h"

namespace simreel {
namespace {

using Node = Table::Node;

constexpr int dot_limit = 64;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

using Fault = TextFault;

std::optional<Fault> find_bad_byte(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return Fault{0, 0,
                 "this is not a text file; a scene is written as TOML (`simreel new wave` writes one), and "
                 "`simreel view` draws files of arrays"};
  Fault at{1, 1, {}};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      at.message = fmt::format("the byte 0x{:02x} is not UTF-8; save the file as UTF-8",
                               static_cast<unsigned>(static_cast<unsigned char>(text[i])));
      return at;
    }
    ++at.column;
    if (text[i] == '\n') ++at.line, at.column = 1;
    i += length;
  }
  return {};
}

// Checks what valid UTF-8 must not contain outside strings and comments. Tracks only the string delimiters of TOML 1.0;
// all other errors are left to the parser.
std::optional<Fault> find_bad_key(std::string_view text) {
  int line = 1, column = 1, dots = 0;
  char delimiter = 0;  // of the current string
  bool block = false;  // the current string has three delimiters
  bool comment = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t length = utf8_length(text.substr(i));
    const auto runs_on = [&](std::size_t count) {
      std::size_t n = 0;
      while (n < count && i + n < text.size() && text[i + n] == c) ++n;
      return n;
    };
    if (comment) {
      comment = c != '\n';
    } else if (delimiter != 0) {
      if (c == '\\' && delimiter == '"' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0x80 &&
          text[i + 1] != '\n') {
        length = 2;
      } else if (c == delimiter && block) {
        const std::size_t run = runs_on(5);  // up to two delimiters may be the last characters of the string
        length = run;
        if (run >= 3) delimiter = 0;
      } else if (!block && (c == delimiter || c == '\n')) {
        delimiter = 0;
      }
    } else if (length > 1) {
      return Fault{
          line, column,
          fmt::format("{} is outside quotes; keys are ASCII (letters, digits, - and _), text goes in straight quotes",
                      quote(text.substr(i, length)))};
    } else if (c == '#') {
      comment = true;
    } else if (c == '"' || c == '\'') {
      delimiter = c;
      block = runs_on(3) == 3;
      length = block ? 3 : 1;
    } else if (c == '.') {
      if (++dots > dot_limit) return Fault{line, column, fmt::format("this key has more than {} dots", dot_limit)};
    } else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) {
      dots = 0;
    }
    column += length > 1 && static_cast<unsigned char>(c) < 0x80 ? static_cast<int>(length) : 1;
    if (c == '\n') ++line, column = 1;
    i += length;
  }
  return {};
}

[[noreturn]] void fail(const std::string& source, const Fault& fault) {
  throw UsageError("{}: {}", Position{source, fault.line, fault.column}.text(), fault.message);
}

void check_size(const std::string& text, const std::string& source) {
  if (text.size() <= scene_size_limit) return;
  fail(source, {0, 0, fmt::format("{} bytes are too many, the limit is {}", text.size(), scene_size_limit)});
}

Position position_of(const toml::key& key, const toml::node& value, const std::string& source) {
  const toml::source_position at_key = key.source().begin, at_value = value.source().begin;
  // A header precedes its key: "[[" and then the name.
  const toml::table* table = value.as_table();
  const bool header = (table != nullptr && !table->is_inline()) || (value.is_array() && at_value < at_key);
  const toml::source_position at = header ? at_value : at_key;
  return {source, static_cast<int>(at.line), static_cast<int>(at.column)};
}

// The place of the first character within the quotes of a string of `body`.
Position text_position(const toml::node& string, std::string_view body, const std::string& source) {
  const toml::source_position at = string.source().begin;
  Position place{source, static_cast<int>(at.line), static_cast<int>(at.column)};
  for (int line = 1; line < place.line; ++line) body.remove_prefix(std::min(body.find('\n') + 1, body.size()));
  for (int column = 1; column < place.column && !body.empty(); ++column)
    body.remove_prefix(std::min(std::max<std::size_t>(1, utf8_length(body)), body.size()));
  const bool block = body.starts_with("\"\"\"") || body.starts_with("'''");
  place.column += block ? 3 : 1;
  if (!block) return place;
  body.remove_prefix(3);
  if (body.starts_with('\r')) body.remove_prefix(1);
  if (body.starts_with('\n')) place.line += 1, place.column = 1;  // the line end after the quotes is not part of it
  return place;
}

std::shared_ptr<Node> convert(const toml::node& from, const Position& position, std::string_view body) {
  auto node = std::make_shared<Node>();
  node->position = position;
  if (const auto* table = from.as_table()) {
    Node::Members members;
    for (const auto& [key, value] : *table)
      members.emplace_back(std::string(key.str()), convert(value, position_of(key, value, position.source), body));
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      const Position &p = a.second->position, &q = b.second->position;
      return std::pair(p.line, p.column) < std::pair(q.line, q.column);
    });
    node->value = std::move(members);
  } else if (const auto* array = from.as_array()) {
    Node::List list;
    for (const toml::node& value : *array) {
      const toml::source_position at = value.source().begin;
      list.push_back(convert(value, {position.source, static_cast<int>(at.line), static_cast<int>(at.column)}, body));
    }
    node->value = std::move(list);
  } else if (const auto* boolean = from.as_boolean()) {
    node->value = boolean->get();
  } else if (const auto* integer = from.as_integer()) {
    node->value = integer->get();
  } else if (const auto* real = from.as_floating_point()) {
    node->value = real->get();
  } else if (const auto* string = from.as_string()) {
    node->value = string->get();
    node->text = text_position(from, body, position.source);
  } else {
    node->value = Node::Moment{};
  }
  return node;
}

void set_position(Node& node, const Position& position) {
  node.position = node.text = position;
  if (auto* members = std::get_if<Node::Members>(&node.value)) {
    for (auto& [key, value] : *members) set_position(*value, position);
  } else if (auto* list = std::get_if<Node::List>(&node.value)) {
    for (auto& value : *list) set_position(*value, position);
  }
}

using Node = Table::Node;

constexpr std::string_view example = "expected table.key=value, as in --set solver.speed=2";

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool is_index(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Applies one --set argument to the tree.
class Override {
 public:
  explicit Override(const std::string& argument) : place_{"--set " + shorten(argument, 120)} {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) fail(std::string(example));
    value_ = trim(std::string_view(argument).substr(equals + 1));
    std::string_view rest = trim(std::string_view(argument).substr(0, equals));
    if (rest.empty()) fail(fmt::format("there is no key before the =; {}", example));
    for (bool more = true; more;) {
      const std::size_t dot = rest.find('.');
      more = dot != std::string_view::npos;
      const std::string_view part = trim(rest.substr(0, dot));
      if (part.empty()) fail(fmt::format("a part of the key is empty; {}", example));
      if (!is_key(part))
        fail(fmt::format("{} is not a key (letters, digits, - and _); {}", quote(shorten(part, 40)), example));
      parts_.emplace_back(part);
      if (more) rest.remove_prefix(dot + 1);
    }
    constexpr std::size_t deepest = 65;
    if (parts_.size() > deepest) fail(fmt::format("the key has more than {} dots", deepest - 1));
  }

  void lay(Node& root) const {
    std::shared_ptr<Node> value = parse_toml_value(value_, place_);
    Node* at = &root;
    std::string path;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const bool last = i + 1 == parts_.size();
      std::shared_ptr<Node>& slot = child(*at, path, i);
      path = join_path(path, parts_[i]);
      if (last) {
        put(slot, value);
      } else if (!slot) {
        slot = std::make_shared<Node>();
        slot->position = place_;
      }
      at = slot.get();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UsageError("{}: {}", place_.text(), message); }

  // A table changes the keys that it names; an empty one, and anything else, takes the place of what is there.
  static void put(std::shared_ptr<Node>& slot, const std::shared_ptr<Node>& value) {
    auto* const there = slot ? std::get_if<Node::Members>(&slot->value) : nullptr;
    const auto* const given = std::get_if<Node::Members>(&value->value);
    if (!there || !given || given->empty()) {
      slot = value;
      return;
    }
    for (const auto& [name, member] : *given) {
      const auto found = std::ranges::find(*there, name, [](const auto& m) { return m.first; });
      put(found != there->end() ? found->second : there->emplace_back(name, nullptr).second, member);
    }
  }

  // The node of part `i` of the path below `at`; a null one, to be set, for a table without that key.
  std::shared_ptr<Node>& child(Node& at, const std::string& path, std::size_t i) const {
    const std::string& part = parts_[i];
    if (auto* members = std::get_if<Node::Members>(&at.value)) {
      const auto found = std::find_if(members->begin(), members->end(), [&](auto& m) { return m.first == part; });
      if (found != members->end()) return found->second;
      if (i + 1 < parts_.size() && is_index(parts_[i + 1]))
        fail(fmt::format("the scene has no [[{}]] to change", join_path(path, part)));
      return members->emplace_back(part, nullptr).second;
    }
    if (auto* list = std::get_if<Node::List>(&at.value)) {
      if (!is_index(part))
        fail(fmt::format("{0} is an array of {1}; name one by its number from 0, as in {0}.0", path, list->size()));
      const std::size_t index = parse_number<std::size_t>(part).value_or(list->size());
      if (index >= list->size())
        fail(list->empty() ? fmt::format("{} is empty", path)
                           : fmt::format("{} has {} {}; the last is {}.{}", path, list->size(),
                                         list->size() == 1 ? "entry" : "entries", path, list->size() - 1));
      return (*list)[index];
    }
    fail(fmt::format("{} is {}, it has no keys below it", path, describe(at)));
  }

  Position place_;
  std::vector<std::string> parts_;
  std::string value_;
};

}  // namespace

std::shared_ptr<Node> parse_toml(const std::string& text, const std::string& source) {
  check_size(text, source);
  std::string_view body = text;
  if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
  if (const auto fault = find_bad_byte(body)) fail(source, *fault);
  if (const auto fault = find_bad_key(body)) fail(source, *fault);
  try {
    return convert(toml::parse(body), {source, 1, 1}, body);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    const std::string_view said = error.description();
    if (const auto fault = explain_toml(body, static_cast<int>(at.line), said)) fail(source, *fault);
    std::string message(said);
    if (message.find("expected comma or closing ']'") != std::string::npos)
      message = "a comma is missing before this, or a closing bracket";
    fail(source, {static_cast<int>(at.line), static_cast<int>(at.column), message});
  }
}

std::shared_ptr<Node> parse_toml_value(const std::string& text, const Position& position) {
  check_size(text, position.source);
  if (const auto fault = find_bad_byte(text)) fail(position.source, {0, 0, fault->message});
  const std::string line = "value = " + text;
  if (!find_bad_key(line)) {
    try {
      const toml::table table = toml::parse(line);
      // Text with a line end may contain more than one key.
      if (const toml::node* value = table.get("value"); value != nullptr && table.size() == 1) {
        auto node = convert(*value, position, line);
        set_position(*node, position);
        return node;
      }
    } catch (const toml::parse_error&) {
      // Not TOML: use the text itself, below.
    }
  }
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.size() > sign + 18 && text.find_first_not_of("0123456789_", sign) == std::string::npos)
    fail(position.source, {0, 0, "a whole number lies between -9223372036854775808 and 9223372036854775807"});
  auto node = std::make_shared<Node>();
  node->position = node->text = position;
  node->value = text;
  return node;
}

void lay_override(Node& root, const std::string& argument) { Override(argument).lay(root); }

}  // namespace simreel
