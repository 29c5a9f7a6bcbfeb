#pragma once
// [solver] kind = "nbody": bodies that attract each other, kernels/nbody.h.

#include "solver/solver.h"

namespace simreel {

SolverKind nbody_solver();

}  // namespace simreel
