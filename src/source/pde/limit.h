#pragma once
// A system with its scheme, and its largest stable step.

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "source/pde/schemes.h"
#include "source/pde/symbol.h"
#include "source/solver.h"

namespace simreel {

// What a solver needs to begin.
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

struct PdeLimit {
  double step = std::numeric_limits<double>::infinity();  // infinity: there is none; 0: no step is stable
  PdeSpectrum spectrum;                                   // of the states that were looked at
  double growth = 0;  // the largest, of waves on the way: steps above 2 / growth do not follow it
  bool lost = false;  // whether a small run grew without bound
};

// From the initial state, and the states that small runs come to: of parts of the grid, with the same arithmetic on
// every machine. Throws UsageError.
PdeLimit find_limit(const PdeOptions&, const Scene&);

// That of the state which a solver of the problem has come to, on the CPU.
double limit_at_end(const PdeProblem&, const Scene&, bool middle, Solver&);

// Of a few of so many cells, spread over the grid, of the initial state.
PdeSpectrum spectrum_at_start(const PdeOptions&, const Scene&, std::array<int, 2> cells);

// The same for one state, from the stiffest of these cells, [x, y]; infinity too where no step is stable. `spectrum`
// has the rates of other states, which say of what sort the equations are; the waves are added to it.
double limit_of_state(const PdeOptions&, PdeSymbol&, const PdeState&, double time,
                      std::span<const std::array<int, 2>> cells, PdeSpectrum& spectrum);

}  // namespace simreel
