#pragma once
// What other programs call the keys of a scene.

#include <span>
#include <string>
#include <string_view>

namespace simreel {

// For a key that a table does not know and what it knows: `range = [low, high]` for "vmin", `"timestep"` for "dt".
// Empty if no known key is called so anywhere.
std::string meant_by(std::string_view key, std::span<const std::string_view> known);

}  // namespace simreel
