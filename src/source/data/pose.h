#pragma once
// A camera for bodies of which nothing is known but where they are.

#include <vector>

#include "kernels/base/view.h"
#include "scene/scene.h"

namespace simreel {

// Sees all of them along z, with y upwards, at the default angle of view.
CameraPose pose_for(const std::vector<Vec4<double>>& positions);

}  // namespace simreel
