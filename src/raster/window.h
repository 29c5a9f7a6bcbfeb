#pragma once
// What of a field fills a picture.

#include <cstdint>

#include "base/pixels.h"
#include "raster/figure_context.h"

namespace simreel {

// What a picture of this size shows of the field in a frame, of a stage with a grid. Between keys, edges go smoothly
// (3 s^2 - 2 s^3) and lengths by equal factors, and the proportions are those of the picture. `cell_aspect`: the height
// of a cell by its width. The same bits on every machine.
FieldWindow window_of(const FigureContext&, double cell_aspect, Size picture, std::int64_t frame = 0);

}  // namespace simreel
