#pragma once
// The canvases of one frame, before conversion to layouts: 8 bits per channel, 16 bits, or both.

#include "base/pixels.h"
#include "kernels/raster/canvas.h"

namespace simreel {

// The part of the canvases that a painter fills; it leaves the other pixels unchanged.
struct Viewport {
  Size canvas;
  Rectangle area;  // inside the canvas

  static Viewport whole(Size size) { return {size, {0, 0, size.width, size.height}}; }
  Size size() const { return {area.width, area.height}; }

  // The area of a canvas in executor memory, rows from the top, without padding. Null gives an empty one.
  template <class Pixel>
  Canvas<Pixel> of(Pixel* pixels) const {
    if (!pixels) return {};
    return {pixels + static_cast<std::ptrdiff_t>(area.y) * canvas.width + area.x, size(), canvas.width};
  }
};

// The viewport of each canvas; without pixels: not needed.
struct Canvases {
  Canvas<Color> shallow;
  Canvas<DeepColor> deep;
};

}  // namespace simreel
