#pragma once
// Where everything of a figure stands: a pure function of sizes, texts and, once it is known, the range of the colours.
// Nothing overlaps and nothing leaves the picture; where that is impossible, the key to change is named.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/pixels.h"
#include "figure/marks.h"
#include "figure/ticks.h"
#include "figure/time_text.h"
#include "kernels/raster/canvas.h"
#include "raster/bodies/particle_painter.h"

namespace simreel {

// The place of a number that changes: whole pixels, on a base line `baseline` rows below the top of the box.
struct NumberPlace {
  Rectangle box;
  int baseline;
  int size;  // of an em, 1/64 pixel
  Color color;
  TimeNumber number;
};

struct FigureLayout {
  Rectangle field;  // that the painter fills
  Marks marks;      // the same in every frame
  std::vector<NumberPlace> numbers;
  int unused_rows = 0;  // above and below a field, because it keeps its aspect ratio
  std::optional<Rectangle> arrow_key;
  double arrow_key_speed = 0;      // that it shows; 0: a round one
  std::optional<Rectangle> inset;  // inside the field: where a part of it is magnified
  Rectangle inset_cells{};         // that part, y upwards
};

// What the colours mean.
struct ColorAxis {
  std::optional<AxisRange> range;     // in the unit of the bar; unset: not known yet
  std::optional<AxisRange> expected;  // what it will be, about
  std::vector<Color> map;             // lowest first
  std::vector<Color> hues;            // by which the colours are multiplied, for angles from -pi to pi; empty: by none
  std::vector<double> bands;          // where bands begin, 0 to 1, and 1; then `map` has the colour of each
  std::vector<std::pair<std::string, Color>> classes;  // names and colours; empty: values are numbers
  std::vector<double> levels;                          // values that ticks name, in the unit of the bar; empty: any
  std::optional<Color> under, over, nan;               // to be shown
  bool angles = false;                                 // the map is that of hues alone, from -pi to pi
  bool both_signs = false;                             // numbers may be below 0
  bool has_powers = false;                             // numbers may be powers of ten
  bool range_is_fixed = false;  // by the scene: then the bar has the room of its own numbers, otherwise of any
  bool shows_groups = false;    // field = "group" of bodies
  int groups = 0;               // their number, once the range is known
};

// Something has no room.
struct NoRoom : UsageError {
  using UsageError::UsageError;
};

// Without a range, room is left for any. With the same sizes and texts, the field has the same place before and after
// the range is known. Throws NoRoom with the place of the key that does not fit, UsageError for one that is wrong.
FigureLayout lay_out(const ViewOptions&, const DrawContext&, const TimeText&, const ColorAxis&);

}  // namespace simreel
