#pragma once
// The keys of [view] for bodies. Only load.cpp includes this.

#include "scene/scene.h"

namespace simreel {

// Reads LightOptions from [view]. Throws UsageError.
void read_light(Table& view, ViewOptions&);

}  // namespace simreel
