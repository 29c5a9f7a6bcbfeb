#pragma once
// How much of each pixel solid shapes cover.

#include <cstdint>
#include <vector>

#include "base/outline.h"
#include "base/pixels.h"
#include "kernels/base/axis_samples.h"

namespace simreel {

// The codes of kernels/raster/field.h, ShapedSolids, before find_plain_pixels, for these parts of a grid drawn with
// `size` pixels: rows from the top, 1 + 254 times the part of the pixel that the union of the shapes covers. Exact
// along x; along y the mean of 64 lines per pixel. The same bits on every machine.
std::vector<std::uint8_t> coverage_codes(const Outline&, const AxisPart& columns, const AxisPart& rows, Size size);

}  // namespace simreel
