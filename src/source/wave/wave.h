#pragma once
// [solver] kind = "wave": the damped wave equation, kernels/wave/wave.h.

#include "source/solver.h"

namespace simreel {

SolverKind wave_solver();

}  // namespace simreel
