#pragma once
// Lines that change with the field: contours, arrows and streamlines, found on the host from values that were
// downloaded. The same bits on every machine: + - * / and sqrt only.

#include <array>
#include <vector>

#include "exec/executor.h"
#include "figure/marks.h"
#include "figure/path.h"
#include "kernels/base/view.h"
#include "scene/scene.h"

namespace simreel {

// The values of a field in host memory; NaN in solid cells. Row 0 is the lowest.
struct HostField {
  int nx = 0, ny = 0;
  std::vector<double> values;
  // The cells that fill the place where it is drawn, from the lower left corner on; they may begin and end within one.
  double left = 0, below = 0, width = nx, height = ny;

  double at(int x, int y) const {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x)];
  }
};

// Waits for the executor. Bodies give an empty field. `first` and `count`: the cells that are seen, along x and y,
// counted as the view counts its own.
HostField download(const Executor&, const View&, const std::array<double, 2>& first,
                   const std::array<double, 2>& count);

// A line, or a polygon that is filled.
struct Stroke {
  std::vector<Path::Point> points;
  bool filled = false;
  int group = 0;  // neighbours of one group, as the lines of a level, are one path of a page
};
using Strokes = std::vector<Stroke>;
Path path_of(const Strokes&, std::int32_t width);  // of the lines, in units of a Path

// The lines of one level by marching squares between the centres of the cells, and from the outermost ones straight on
// to the edge, as long as they go; where a saddle is, the mean of its corners decides. `place` is where the field is
// drawn. No line touches a cell that is not finite. Grids that are finer than half of the pixels are read in steps.
std::vector<std::vector<Path::Point>> contour_lines(const HostField&, double level, const Rectangle& place);

// A line in dashes, their lengths and the gaps in units of a Path.
Strokes dashed(const std::vector<Path::Point>& line, double on, double off);

// Of arrows on a lattice with `count` of them along the longer side of `place`, in pixels.
struct ArrowScale {
  double distance = 0;  // of the lattice
  double fastest = 0;   // the largest vector; 0: there is none
  double length(double speed) const { return 0.95 * distance * speed / fastest; }
};
ArrowScale arrow_scale(const HostField& x, const HostField& y, int count, const Rectangle& place);

// An arrow from one place in pixels to another: its shaft and its head.
Strokes arrow(double from_x, double from_y, double to_x, double to_y, const ArrowScale&);

// Arrows on a lattice; the longest is that of the fastest cell, none stands in a solid cell.
Strokes arrows_of(const HostField& x, const HostField& y, const ArrowScale&, const Rectangle& place);

// What of them lies within a box, in pixels.
Strokes clipped(Strokes, const Rectangle& box);

// The bilinear value at a place in cells, whose centres are at integers + 0.5; NaN beside solid cells.
double sampled(const HostField&, double x, double y);

// Such values of a view, or those of the nearest cells, along a line from (x, y) to (x, y) in cells, in the middle of
// `count` equal parts, as a grid of one row. Waits for the executor.
HostField along(const Executor&, const View&, const std::array<double, 4>& line, int count, Interpolation);

// A place in pixels in units of a Path.
Path::Point path_point(double x, double y);

}  // namespace simreel
