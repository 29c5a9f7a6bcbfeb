#pragma once
// How much of each pixel solid shapes cover.

#include <cstdint>
#include <vector>

#include "base/outline.h"
#include "base/pixels.h"

namespace simreel {

// The codes of kernels/raster/field.h, ShapedSolids, before find_plain_pixels, for a grid of nx by ny cells drawn with
// `size` pixels: rows from the top, 1 + 254 times the part of the pixel that the union of the shapes covers. Exact
// along x; along y the mean of 64 lines per pixel. The same bits on every machine.
std::vector<std::uint8_t> coverage_codes(const Outline&, int nx, int ny, Size size);

}  // namespace simreel
