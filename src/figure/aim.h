#pragma once
// What of a field is in the picture.

#include "raster/bodies/particle_painter.h"
#include "scene/scene.h"

namespace simreel {

// Lets the stage of a field show what crop, fit and the keys of a view say of it, in the units of its axes. Throws
// UsageError for a part that is not there or has less than a cell.
void aim(DrawContext&, const ViewOptions&);

}  // namespace simreel
