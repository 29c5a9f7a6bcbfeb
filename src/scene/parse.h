#pragma once
// TOML text -> Table::Node. The only use of the TOML library; only src/scene/ includes this.

#include <cstddef>
#include <memory>
#include <string>

#include "scene/node.h"

namespace simreel {

inline constexpr std::size_t scene_size_limit = 64 * 1024;  // bytes

// Throws UsageError, starting with the place, for text that is too large, binary, not UTF-8 or not TOML.
std::shared_ptr<Table::Node> parse_toml(const std::string& text, const std::string& source);

// Parses the text after the = of --set: a TOML value, or otherwise the text itself as a string. Every node gets
// `position`. Throws UsageError for text that is too large or not UTF-8.
std::shared_ptr<Table::Node> parse_toml_value(const std::string& text, const Position& position);

// Overrides a value of the scene with "table.key=value"; creates missing tables. Throws UsageError for a malformed
// argument, a path through something that is not a table, and an index that is out of bounds.
void lay_override(Table::Node& root, const std::string& argument);

}  // namespace simreel
