#pragma once
// The keys of [view]. Only load.cpp includes this.

#include "scene/scene.h"

namespace simreel {

// Reads [view] with the keys for bodies; a colormap's path starts at the scene's folder. Throws UsageError.
ViewOptions read_view(Table view, const Scene&);

}  // namespace simreel
