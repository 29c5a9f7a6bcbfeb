#pragma once
// What the colours of a view mean, for its bar.

#include <optional>
#include <vector>

#include "figure/layout.h"
#include "raster/interval.h"

namespace simreel {

// `colors` as for Figure; without a range that of the scene, if it gives one.
ColorAxis axis_of(const ViewOptions&, const DrawContext&, const std::vector<Color>& colors, std::optional<Interval>);

}  // namespace simreel
