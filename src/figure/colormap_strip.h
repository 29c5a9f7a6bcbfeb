#pragma once
// A picture of every compiled-in colormap.

#include <vector>

#include "base/pixels.h"

namespace simreel {

struct ColormapStrip {
  Size size;
  std::vector<Color> pixels;  // rows from the top
};

// One band per map, low values on the left, after its name; in the order of list_colormaps. The height grows with their
// number.
ColormapStrip draw_colormap_strip();

}  // namespace simreel
