#pragma once
// Where the panels of a figure stand, in pixels: all fields of a column have one width, those of a row begin at one
// height, and labels have the room beside them.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "base/pixels.h"
#include "figure/layout.h"
#include "kernels/raster/canvas.h"
#include "raster/interval.h"

namespace simreel {

// Room around a field for its labels, pixels.
struct Margins {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const Margins&) const = default;
};

// The cells of a panel.
struct GridCell {
  int column = 0, row = 0, columns = 1, rows = 1;
};

// Each panel in the first free place after the one before it, row by row. No span is wider than `columns`.
std::vector<GridCell> place_cells(const std::vector<std::array<int, 2>>& spans, int columns);

struct GridPanel {
  GridCell cell;
  std::optional<double> aspect;  // height by width of the field; unset: it takes the height of its rows
  double usual_aspect = 1;       // where nothing else decides about a row
  std::function<Margins(Size field)> margins;
};

struct GridPlan {
  std::vector<Rectangle> fields;  // of the panels
  Rectangle all;                  // around all fields
  Margins around;                 // of the panels, in addition
  Size size;                      // of the whole
};

// `outer`: room beside all panels that something else needs, by the size of `all`; where panels have margins, so many
// pixels of both may lie over each other. Throws UsageError if the labels leave no room.
struct GridOuter {
  std::function<Margins(Size all)> margins;
  int overlap = 0;
  // How far from `all` its own begins, where the panels need so much.
  int from(int panels) const { return panels > overlap ? panels - overlap : 0; }
};
// `width` of the whole and `gap` between panels are in pixels.
GridPlan plan_grid(const std::vector<GridPanel>&, int columns, int width, int gap, const GridOuter&);

// The layout of a field with labels around it, for a field of a given size.

struct FittedLayout {
  FigureLayout layout;
  Margins margins;
  Size size;  // of all
};

// Without a range, room is left for any. Throws UsageError as the constructor of Rasterizer.
FittedLayout fit_layout(ViewOptions, const DrawContext&, Size field, std::optional<Interval> range = {});

// Without most of the empty border that a single picture has.
Margins trimmed(Margins, const ViewOptions&, const FigureOptions&);

}  // namespace simreel
