#pragma once
// The largest stable step of a scene.

#include "source/pde/problem.h"
#include "source/pde/symbol.h"

namespace simreel {

struct PdeLimit {
  double step = 0;       // infinity: there is none
  PdeSpectrum spectrum;  // of the states that were looked at
};

// From the initial state, and the state that a small run comes to: a part of the grid, with the same arithmetic on
// every machine. Throws UsageError.
PdeLimit find_limit(const PdeOptions&, const Scene&);

}  // namespace simreel
