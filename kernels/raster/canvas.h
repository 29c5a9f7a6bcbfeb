#pragma once
// What kernels draw on.

#include "base/pixels.h"

namespace simreel {

struct Rectangle {
  int x = 0, y = 0;  // of the top left pixel, from the top left of what it is a part of
  int width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

// A rectangle of pixels, rows from the top: a whole picture or a part of one. Executor memory, aligned to whole pixels;
// owns nothing. Pixels is null where nothing is to be drawn.
template <class Pixel>
struct Canvas {
  Pixel* pixels = nullptr;  // the top left one
  Size size;
  int pitch = 0;  // pixels from one row to the next, >= size.width
};

}  // namespace simreel
