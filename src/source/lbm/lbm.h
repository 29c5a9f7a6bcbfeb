#pragma once
// kind = "lbm": lattice Boltzmann flow, kernels/lbm/lbm.h.

#include "source/solver.h"

namespace simreel {

SolverKind lbm_solver();

}  // namespace simreel
