#pragma once
// The keys of kind = "nbody" that make the bodies at step 0.

#include "scene/table.h"
#include "source/nbody/bodies.h"

namespace simreel {

// Throws UsageError for values out of range, keys that another initial state uses, and numbers of bodies that the
// initial state cannot have.
void read_bodies(Table& keys, BodiesOptions&);

}  // namespace simreel
