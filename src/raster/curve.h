#pragma once

#include "kernels/raster/field.h"
#include "scene/scene.h"

namespace simreel {

// The curve of kernels/raster/field.h that a scale names.
Curve curve_of(Scale);

}  // namespace simreel
