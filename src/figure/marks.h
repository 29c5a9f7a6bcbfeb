#pragma once
// The display list of a figure: what is drawn, in integers, before it becomes pixels. Lengths are in 1/64 pixel, x
// right and y down from the top left corner of the picture.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/pixels.h"
#include "figure/text.h"
#include "kernels/raster/canvas.h"

namespace simreel {

inline constexpr std::int32_t fine = 64;  // lengths in a pixel

struct Spot {
  std::int32_t x, y;
};

// A polygon or a line.
struct Shape {
  std::vector<Spot> points;
  bool filled = true;      // the polygon; otherwise its line
  std::int32_t width = 0;  // of the line
  Color color;
};

struct Label {
  GlyphRun run;
  Spot origin;  // left end of the base line, where text runs upwards its lower end
  Direction along;
  Color color;
  double hold = 0;  // the part of the width whose place stays if letters of another font take its place: 0, 0.5 or 1
};

// A picture that is stretched to whole pixels without interpolation.
struct Image {
  Rectangle place;
  int columns, rows;
  std::vector<Color> pixels;  // rows from the top
};

struct Mark {
  std::string_view key;  // of [figure]: what the mark belongs to
  std::variant<Shape, Label, Image> what;
};
using Marks = std::vector<Mark>;

Shape box_shape(const Rectangle&, Color);

// The pixels that a mark touches; empty for one without ink.
Rectangle extent_of(const Mark&);

// The marks as colours with straight alpha, later ones over earlier ones; rows from the top, each empty or as wide as
// the picture.
using Sheet = std::vector<std::vector<Color>>;
Sheet paint_marks(const Marks&, Size);
void paint_marks(const Marks&, Size, Sheet&);  // over what is there

// Pictures at another size: each pixel is the mean of the area that it covers, colours weighed by their alpha; integers
// only. Rows from the top.
std::vector<Color> scaled(const std::vector<Color>& pixels, Size from, Size to);

// The markers of a plot: disk, square, triangle, diamond, in this order again and again.
// `radius` in 1/64 pixel; the shapes look equally large.
Shape marker_shape(std::size_t index, Spot at, std::int32_t radius, Color);

}  // namespace simreel
