#pragma once
// Numbers in gaps of contours.

#include <vector>

#include "figure/lines.h"
#include "figure/marks.h"
#include "figure/style.h"

namespace simreel {

// The lines of one level with a gap in those that are long enough, in which `run` stands, upright and where no label of
// `taken` does. Adds the labels to `labels` and their places to `taken`. `field` is where all of it lies.
std::vector<std::vector<Path::Point>> labelled(const std::vector<std::vector<Path::Point>>& lines, const GlyphRun& run,
                                               const FigureStyle&, const Rectangle& field,
                                               std::vector<Rectangle>& taken, Color, Marks& labels);

}  // namespace simreel
