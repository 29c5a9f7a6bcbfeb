#pragma once
// kind = "lbm": lattice Boltzmann flow, kernels/lbm.h.

#include "solver/solver.h"

namespace simreel {

SolverKind lbm_solver();

}  // namespace simreel
