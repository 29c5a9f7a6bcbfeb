#pragma once
// The keys of [view] for bodies. Only load.cpp includes this.

#include "scene/node.h"
#include "scene/scene.h"

namespace simreel {

// Reads LightOptions from [view]; `exposure` is the value of that key, or null. Throws UsageError.
void read_light(Table& view, const Table::Node* exposure, ViewOptions&);

}  // namespace simreel
