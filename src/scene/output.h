#pragma once
// The keys of [output]. Only load.cpp includes this.

#include "scene/scene.h"

namespace simreel {

// Reads [output] with [output.options]; its path starts at the scene's folder. Throws UsageError.
OutputOptions read_output(Table output, const Scene&);

}  // namespace simreel
