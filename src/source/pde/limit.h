#pragma once
// The largest stable step of a scene.

#include <array>
#include <limits>
#include <span>

#include "source/pde/problem.h"
#include "source/pde/symbol.h"

namespace simreel {

struct PdeLimit {
  double step = std::numeric_limits<double>::infinity();  // infinity: there is none; 0: no step is stable
  PdeSpectrum spectrum;                                   // of the states that were looked at
  double growth = 0;  // the largest, of waves on the way: steps above 2 / growth do not follow it
  bool lost = false;  // whether a small run grew without bound
};

// From the initial state, and the states that small runs come to: of parts of the grid, with the same arithmetic on
// every machine. Throws UsageError.
PdeLimit find_limit(const PdeOptions&, const Scene&);

// Of a few of so many cells, spread over the grid, of the initial state.
PdeSpectrum spectrum_at_start(const PdeOptions&, const Scene&, std::array<int, 2> cells);

// The same for one state, from the stiffest of these cells, [x, y]; infinity too where no step is stable. `spectrum`
// has the rates of other states, which say of what sort the equations are; the waves are added to it.
double limit_of_state(const PdeOptions&, PdeSymbol&, const PdeState&, double time,
                      std::span<const std::array<int, 2>> cells, PdeSpectrum& spectrum);

}  // namespace simreel
