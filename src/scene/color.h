#pragma once
// Colours of a scene: "#rrggbb" and "#rrggbbaa", and what somebody may have meant by another form.

#include <optional>
#include <string>

#include "base/pixels.h"
#include "scene/table.h"

namespace simreel {

// "#ff0000", or "#ff000080" where the colour is not opaque.
std::string color_text(Color color);

// What was meant by a name ("red"), "#f00", "ff0000", "0xff0000", "rgb(255, 0, 0)", [255, 0, 0], [1.0, 0, 0] or a
// number (0xff0000). Nullopt if nothing like a colour was.
std::optional<Color> meant_color(const Table::Node& given);

}  // namespace simreel
