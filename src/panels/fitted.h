#pragma once
// The layout of a field with labels around it, for a field of a given size.

#include "figure/layout.h"
#include "panels/grid.h"
#include "raster/interval.h"

namespace simreel {

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
