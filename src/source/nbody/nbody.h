#pragma once
// [solver] kind = "nbody": bodies that attract each other, kernels/nbody/nbody.h.

#include "source/solver.h"

namespace simreel {

SolverKind nbody_solver();

}  // namespace simreel
