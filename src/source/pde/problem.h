#pragma once
// A system with its scheme and step: what a solver needs to begin.

#include <memory>
#include <vector>

#include "source/pde/schemes.h"
#include "source/pde/symbol.h"
#include "source/solver.h"

namespace simreel {

struct PdeProblem {
  PdeOptions options;
  std::unique_ptr<PdeSystem> system;
  double timestep = 1;
  double limit = 0;      // the largest stable timestep that is known; 0: the run is not watched
  PdeSpectrum spectrum;  // of the states that were looked at, without waves
  PdeScheme scheme;
  std::vector<FieldInfo> infos;  // of system->shown

  int halo = 0;      // the reach of the deepest pass
  int exchange = 1;  // the largest reach of a step, or of what is shown or measured

  void set_step(double timestep);  // and the scheme
};

// The equations of the options on a grid, without a step. The files are opened if there is a scene.
std::shared_ptr<PdeProblem> make_problem(const PdeOptions&, int nx, int ny, const Scene*, bool middle = false);

template <class Real>
std::unique_ptr<Solver> make_pde_solver(const Executor&, const Communicator&, std::shared_ptr<const PdeProblem>);
// Executor memory of the part of one of several ranks.
template <class Real>
std::size_t pde_part_bytes(const Executor&, int rank, int ranks, const PdeProblem&);

}  // namespace simreel
