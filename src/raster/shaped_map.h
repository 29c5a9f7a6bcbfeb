#pragma once
// Colour maps that [view] shapes by the range of values: with their middle at `center`, as bands of one colour each, or
// transparent in places.

#include <array>
#include <vector>

#include "base/pixels.h"
#include "kernels/raster/field.h"
#include "raster/interval.h"
#include "scene/scene.h"

namespace simreel {

// Whether the map depends on the range or is in bands; otherwise it is the colour map as it is.
inline bool is_shaped(const ViewOptions& view) { return view.center || view.has_bands() || !view.alpha.empty(); }

// What [view] alpha makes of the colours of a map with this range.
class Veil {
 public:
  Veil(const ViewOptions&, Interval range);
  // The colour at a place of the map, 0 to 1, over the background. A transparent one keeps its red, green and blue:
  // pixels mix it with its neighbours.
  Color operator()(Color, double place) const;

 private:
  std::vector<std::array<double, 2>> stops_;  // places and opacities
  Color background_;
};

// Entries of a map of a view whose colour map has so many; for any range.
std::size_t shaped_size(const ViewOptions&, std::size_t map);

// The colours below and above the range where the view does not give them: the ends of the map, and for classes the
// colour of what is none.
Color under_of(const ViewOptions&, const std::vector<Color>& map);
Color over_of(const ViewOptions&, const std::vector<Color>& map);

// The entries, at even distances from the low end of the range to the high one. Of bands an entry is where a band or a
// part of it begins, and the last one is that of the last band again (ColorScale::stepped).
std::vector<Color> shaped_map(const ViewOptions&, const std::vector<Color>& map, Interval range);

// The colour of each of view.classes.
std::vector<Color> class_colors(const ViewOptions&, const std::vector<Color>& map);

// Where bands begin, 0 to 1, and 1; empty without bands, and for classes.
std::vector<double> band_places(const ViewOptions&, Interval range);

// The colour at a place of a map, 0 to 1.
Color color_at(const std::vector<Color>& map, double place);
// The colour of a value as a smooth map shows it.
Color color_of(const ViewOptions&, const std::vector<Color>& map, Interval range, double value);

// The curve of kernels/raster/field.h that a scale names.
Curve curve_of(Scale);

}  // namespace simreel
