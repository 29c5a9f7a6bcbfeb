#pragma once
// Sizes and colours of a figure. Everything is a multiple of the size of its letters, rounded to whole pixels.

#include <cmath>
#include <string>
#include <vector>

#include "base/pixels.h"
#include "figure/marks.h"
#include "raster/figure_context.h"
#include "scene/scene.h"

namespace simreel {

struct FigureStyle {
  int em = 0;       // 1/64 pixel
  int rule = 1;     // width of frames and ticks, pixels
  int line = 0;     // height of a line of text, pixels
  int capital = 0;  // of a capital letter or a digit, pixels
  Color ink, faint, plate;

  // Hundredths of an em in pixels.
  int px(int hundredths) const { return (em * hundredths + 50 * fine) / (100 * fine); }
};

// Of letters on this colour.
FigureOptions::Theme theme_of(Color background);

FigureStyle style_of(const ViewOptions&, const FigureOptions&);
// Of what lies over the picture.
FigureStyle style_over_picture(const ViewOptions&, const FigureContext&);

// Of lines over a field: dark on a bright map, light on a dark one. Colours in the middle of a map count most, as a
// field has most of its values there: at rest, in a map of two signs.
Color line_color(const std::vector<Color>& map);

// A label does not fit: the key of [figure] to blame, empty for all of it, and the message.
struct Misfit {
  std::string key, message;
};

// Whole pixels that a length of 1/64 pixel needs, and the nearest.
inline int pixels_of(std::int32_t length) { return (length + fine - 1) / fine; }
inline int rounded(std::int32_t length) { return (length + fine / 2) / fine; }
inline int rounded_to_int(double v) { return static_cast<int>(std::floor(v + 0.5)); }

}  // namespace simreel
