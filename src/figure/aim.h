#pragma once
// What of a field is in the picture.

#include <string>

#include "raster/bodies/particle_painter.h"
#include "scene/scene.h"

namespace simreel {

// Lets the stage of a field show what crop, fit and the keys of a view say of it, in the units of its axes. What
// reaches beyond the field is moved into it, which the stage's remarks say. Throws UsageError for a part of which
// nothing is there, or that has less than a cell.
void aim(DrawContext&, const ViewOptions&);

// The part of a field that such a stage shows: "x from 0 to 200 and y from 0 to 100".
std::string seen_in_words(const DrawContext&);

}  // namespace simreel
