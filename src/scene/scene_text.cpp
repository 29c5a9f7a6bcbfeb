#include "scene/scene_text.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "scene/parse.h"

namespace simreel {
namespace {

using Node = Table::Node;

// Every value by its path, which includes the index for values in lists.
void flatten(const Node& node, const std::string& path, std::map<std::string, std::string>& values) {
  if (const auto* members = std::get_if<Node::Members>(&node.value)) {
    for (const auto& [key, below] : *members) flatten(*below, join_path(path, key), values);
  } else if (const auto* list = std::get_if<Node::List>(&node.value)) {
    values[path] = fmt::format("a list of {}", list->size());
    for (std::size_t i = 0; i < list->size(); ++i) flatten(*(*list)[i], fmt::format("{}.{}", path, i), values);
  } else if (const auto* text = std::get_if<std::string>(&node.value)) {
    values[path] = fmt::format("\"{}\"", *text);
  } else {
    values[path] = literal(node);
  }
}

std::map<std::string, std::string> values_of(const SceneText& scene) {
  const std::shared_ptr<Node> root = parse_toml(scene.text, "the scene");
  for (const std::string& argument : scene.overrides) lay_override(*root, argument);
  std::map<std::string, std::string> values;
  flatten(*root, "", values);
  return values;
}

}  // namespace

bool sets_frames(const std::string& argument) {
  std::string key = argument.substr(0, argument.find('='));
  std::erase(key, ' ');
  return key == "animation.frames" || key == "animation.duration";
}

std::string scene_difference(const SceneText& before, const SceneText& now) {
  const auto old_values = values_of(before), new_values = values_of(now);
  for (const auto& [key, value] : old_values) {
    const auto other = new_values.find(key);
    if (other == new_values.end()) return fmt::format("{} was {} and is not set now", key, value);
    if (other->second != value) return fmt::format("{} was {} and is {}", key, value, other->second);
  }
  for (const auto& [key, value] : new_values)
    if (!old_values.contains(key)) return fmt::format("{} was not set and is {}", key, value);
  if (before.text != now.text) return "the scene file was written differently, though every key has its value";
  if (before.overrides != now.overrides) return "the --set arguments were others, though every key has its value";
  return "";
}

}  // namespace simreel
