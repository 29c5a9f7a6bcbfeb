#pragma once
// How a scene is shown, in words and as JSON, for `check`: what the scene says and what was chosen for it.

#include <string>
#include <vector>

#include "scene/scene.h"
#include "source/source.h"

namespace simreel {

// "height in glow, range "symmetric", linear"; of bodies also the light and, as a second line, the camera.
std::vector<std::string> look_lines(const Scene&, const SourcePlan&, RangeMode);

// {"field": ..., "colormap": ..., "range": ..., "scale": ..., "steps_per_frame": ..., and for bodies "light", "camera"}
nlohmann::ordered_json look_json(const Scene&, const SourcePlan&, RangeMode);

}  // namespace simreel
