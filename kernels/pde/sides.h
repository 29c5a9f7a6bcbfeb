#pragma once
// Fills the halos of the outputs of a run.

#include "kernels/pde/engine.h"

namespace simreel {

// `columns`: those beyond the left and right sides too.
template <class Real>
void pde_fill_outputs(const Executor&, const PdeGrid&, const PdeRun<Real>&, bool columns = true);

}  // namespace simreel
