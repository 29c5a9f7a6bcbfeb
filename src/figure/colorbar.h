#pragma once
// The colour bar: the map, triangles for values outside the range, a box for NaN, ticks; or a block for each group.

#include "figure/layout.h"
#include "figure/style.h"

namespace simreel {

// Pixels.
struct BarSize {
  int thickness = 0;
  int number_width = 0;  // room for the numbers
  int label_width = 0;   // of the label with any factor; 0: no label
  int depth = 0;         // from the picture to the outer end of numbers and label, the gap before the bar included
  int overhang = 0;      // of a number at the end of a horizontal bar
};

// `plain` and `longest`: pixels of the label without a factor and with a long one. `lines`: how many of it stand beside
// the bar, or below a horizontal one.
BarSize measure_colorbar(const FigureStyle&, const FigureOptions&, const ColorAxis&, int plain, int longest, int lines);

// Draws the bar with its ticks, which it returns, into `place`, which has the whole of it with triangles and box.
Ticks draw_colorbar(const FigureStyle&, const FigureOptions&, const ColorAxis&, const BarSize&, const Rectangle& place,
                    Marks&);

Color group_color(const ColorAxis&, int group);

// The colour at `part` / `whole` of a map of two colours or more.
Color map_color(const std::vector<Color>& map, std::int64_t part, std::int64_t whole);

}  // namespace simreel
