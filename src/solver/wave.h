#pragma once
// [solver] kind = "wave": the damped wave equation, kernels/wave.h.

#include "solver/solver.h"

namespace simreel {

SolverKind wave_solver();

}  // namespace simreel
