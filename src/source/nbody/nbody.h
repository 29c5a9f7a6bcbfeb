#pragma once
// [solver] kind = "nbody": bodies under their own gravity, kernels/nbody/nbody.h.

#include "source/solver.h"

namespace simreel {

SolverKind nbody_solver();

}  // namespace simreel
