#pragma once
// The markers of a plot: disk, square, triangle, diamond, in this order again and again.

#include <cstddef>

#include "figure/marks.h"

namespace simreel {

// `radius` in 1/64 pixel; the shapes look equally large.
Shape marker_shape(std::size_t index, Spot at, std::int32_t radius, Color);

}  // namespace simreel
