#pragma once
// The numbers of contours: in gaps of their lines, and along them.

#include <string>
#include <vector>

#include "figure/marks.h"
#include "figure/style.h"
#include "scene/figure.h"

namespace simreel {

// What is written at the contours of these values, texts for set_text: numbers as [figure] label_format has them. A
// number that would then read as another one is written in full. Throws UsageError, with its place, for a format that
// is none, and where [figure] gives the values and one would read as another number.
std::vector<std::string> contour_texts(const FigureOptions&, const std::vector<double>& values);

// The pieces of the lines of a level between the labels that are put on them: each line gets one in its middle where it
// is long enough, or at another part of it where a label, which `taken` lists, is near or the line bends. A label runs
// along its line, and never upside down. The gap is wider than the label by a quarter of an em at each end, and by 0.8
// em where the line will be `dashed`.
std::vector<std::vector<Path::Point>> labelled(const std::vector<std::vector<Path::Point>>& lines, const GlyphRun&,
                                               const FigureStyle&, bool dashed, const Rectangle& field,
                                               std::vector<Rectangle>& taken, Color, Marks& labels);

}  // namespace simreel
