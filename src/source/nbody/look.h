#pragma once
// How bodies are shown where the scene does not say it.

#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

Look nbody_look(Table& keys, const Scene&);

}  // namespace simreel
