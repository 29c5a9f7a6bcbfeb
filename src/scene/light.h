#pragma once
// The keys of [view] for bodies. Only view.cpp includes this.

#include "scene/scene.h"

namespace simreel {

// Reads LightOptions from [view]. Throws UsageError.
void read_light(Table& view, ViewOptions&);

}  // namespace simreel
