#pragma once
// A solver on several ranks, which looks like any other from outside.
//
// Rank 0 is the thread that made it: it calls the functions of a Source, and tells the other ranks each call. They make
// the same call on the solvers of their parts. So the loop, the rasterizer, the outputs and the checkpoints know
// nothing of ranks.

#include "source/solver.h"

namespace simreel {

// Makes the plan's solvers run on ranks.count ranks, threads of this process: they share the threads of a CPU executor,
// or have a GPU each, of which the executor given to SolverPlan::create is the first. Throws UsageError, with
// ranks.option, if the method or its grid does not allow so many.
void spread(SolverPlan&, const Ranks&);

}  // namespace simreel
