#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "scene/parse.h"

namespace simreel {
namespace {

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
      if (!is_key(part)) {
        fail(fmt::format("{} is not a key (letters, digits, - and _); {}", quote(shorten(part, 40)), example));
      }
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
        slot = value;
      } else if (!slot) {
        slot = std::make_shared<Node>();
        slot->position = place_;
      }
      at = slot.get();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UsageError("{}: {}", place_.text(), message); }

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
      if (!is_index(part)) {
        fail(fmt::format("{0} is an array of {1}; name one by its number from 0, as in {0}.0", path, list->size()));
      }
      std::size_t index = 0;
      const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
      if (parsed.ec != std::errc() || index >= list->size()) {
        fail(list->empty() ? fmt::format("{} is empty", path)
                           : fmt::format("{} has {} {}; the last is {}.{}", path, list->size(),
                                         list->size() == 1 ? "entry" : "entries", path, list->size() - 1));
      }
      return (*list)[index];
    }
    fail(fmt::format("{} is {}, it has no keys below it", path, describe(at)));
  }

  Position place_;
  std::vector<std::string> parts_;
  std::string value_;
};

}  // namespace

void lay_override(Node& root, const std::string& argument) { Override(argument).lay(root); }

}  // namespace simreel
