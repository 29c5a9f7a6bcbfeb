#pragma once
// A solver on several ranks, which looks like any other from outside.
//
// Rank 0 is the thread that made it: it calls the functions of a Source, and tells the other ranks each call. They make
// the same call on the solvers of their parts. So the loop, the rasterizer and the outputs know nothing of ranks, and
// checkpoints only that a state may be in pieces (SavedPieces).
//
// Other processes (exec/processes.h) get the text of the scene, make their parts of it, and then do the same.

#include "source/solver.h"

namespace simreel {

// Makes the plan's solvers run on ranks.count ranks. Threads of this process share the threads of a CPU executor, or
// have a GPU each, of which the executor given to SolverPlan::create is the first; processes have an executor each.
// Throws UsageError, with ranks.option, if the method or its grid does not allow so many.
void spread(SolverPlan&, const Scene&, const Ranks&);

// What a process of another rank than 0 does: it computes its parts of what rank 0's solvers compute, until rank 0
// dismisses it or a rank fails.
void serve_processes();
void dismiss_processes();

}  // namespace simreel
