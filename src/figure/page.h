#pragma once
// One frame as a page: the picture without what is written over it, and the display list of that, for vector files.

#include <optional>
#include <vector>

#include "base/pixels.h"
#include "figure/lines.h"
#include "figure/marks.h"
#include "kernels/raster/canvas.h"

namespace simreel {

struct Page {
  Size size;  // of the whole, in pixels: the unit of all places
  Color background;
  Rectangle field;            // where the picture lies
  std::vector<Color> pixels;  // of the picture, rows from the top; straight alpha

  Strokes lines;                // contours, arrows and streamlines, over the picture and clipped to it
  std::int32_t line_width = 0;  // units of a Path
  Color line_color;
  std::optional<Rectangle> hole;  // an inset, which hides them

  Marks marks;  // over all
};

// Moves by whole pixels. The size of a page stays.
void move(Mark&, int x, int y);
void move(Page&, int x, int y);

}  // namespace simreel
