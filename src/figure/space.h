#pragma once
// The coordinates of a picture: of axes, scale bar, contours and arrows.

#include <string>
#include <vector>

#include "figure/ticks.h"
#include "kernels/raster/canvas.h"
#include "raster/bodies/particle_painter.h"
#include "raster/window.h"
#include "scene/figure.h"

namespace simreel {

// A label with a common power of ten of its numbers in front of the unit, and their offset: "x (10^3 mm) +1e7"; or with
// what the labels of dates leave out: "time (Jan 2001)".
std::string with_factor(const std::string& label, const Ticks&);

// A unit as files write it with its exponents raised: "m s-1" as "m s$^{-1}$".
std::string unit_text(const std::string& unit);

// Fields: the grid from edge to edge, from 0 at the lower left corner of the first cell; lengths are those along x, so
// cells that are higher than wide are longer along y; or the coordinates of its source. Bodies in an orthographic
// view: world coordinates where the picture's axes are those of the world, otherwise distances from the target.
class FigureSpace {
 public:
  explicit FigureSpace(const DrawContext&);

  AxisRange x(const Rectangle& field, std::int64_t frame = 0) const { return axis(0, field, frame); }
  AxisRange y(const Rectangle& field, std::int64_t frame = 0) const { return axis(1, field, frame); }
  // What an axis is called, from the longest to the shortest: "time (years since 2001-01-01)", "time (years)", "time".
  // Without the unit where its numbers are dates or degrees.
  std::vector<std::string> names(const std::string& axis, const AxisRange&) const;
  std::string unit() const;
  double units_per_pixel(const Rectangle& field) const;
  FieldWindow window(const Rectangle& field, std::int64_t frame = 0) const;  // cells of a field that are seen

 private:
  bool counts_cells() const;                     // whether nothing says how long a cell is
  const GridAxis* coordinates(int which) const;  // that the source gives and the scene does not replace by units
  AxisRange axis(int which, const Rectangle& field, std::int64_t frame) const;

  const DrawContext& stage_;
  double cell_;
};

// Throws UsageError, with its place, where the axes would have no meaning.
FigureSpace space_of(const DrawContext&, const FigureOptions&);

struct ScaleBar {
  int pixels;
  std::string label;  // text for set_text
};
// Throws UsageError, with its place, for a length that is none.
ScaleBar scale_bar_of(const DrawContext&, const FigureOptions&, const FigureSpace&, const Rectangle& field);

}  // namespace simreel
