#pragma once
// The solvers, each in the folder of its name: kind = "..." of [solver].

#include "source/solver.h"

namespace simreel {

SolverKind wave_solver();   // the damped wave equation, kernels/wave/wave.h
SolverKind lbm_solver();    // lattice Boltzmann flow, kernels/lbm/lbm.h
SolverKind nbody_solver();  // bodies under their own gravity, kernels/nbody/nbody.h
SolverKind pde_solver();    // equations that the scene writes, kernels/pde/engine.h
SolverKind data_source();   // states that other programs computed, read from their files: docs/data.md

}  // namespace simreel
