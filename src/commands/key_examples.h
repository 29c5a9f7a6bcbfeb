#pragma once
// An example for each table of a scene file, for docs/scene.md.

#include <string_view>

namespace simreel {

// As TOML, without its last line break. Empty for tables that repeat another one.
std::string_view key_example(std::string_view kind, std::string_view path);

// Whether a table has the keys of another one: the sides of typed equations are alike.
bool repeats_another(std::string_view kind, std::string_view path);

}  // namespace simreel
