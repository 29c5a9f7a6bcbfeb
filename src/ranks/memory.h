#pragma once
// Where ranks compute, and the memory that they have there.

#include <cstddef>
#include <vector>

#include "exec/communicator.h"
#include "exec/executor.h"
#include "source/solver.h"

namespace simreel {

// That of this process, one of several (exec/processes.h); `threads` 0: one for each of its cores. Throws UsageError if
// there is no GPU for it.
Executor executor_of_process(Backend, int threads);

// Throws UsageError if two ranks have the same GPU. Collective, as is the next one.
void refuse_shared_gpus(const Executor&, const Communicator&);

// Tells rank 0 the memory of this process, which computes on that executor.
void tell_memory(const Executor&, const Communicator&);

// SourcePlan::rank_memory of a plan with these `rank_bytes`, asked by rank 0. Throws errors of other ranks.
std::vector<RankMemory> memory_of_ranks(const Executor&, const Ranks&, const decltype(SolverPlan::rank_bytes)&);

// SourcePlan::ranks_that_fit of a plan with rank_bytes.
int ranks_that_fit(const SolverPlan&, const Executor&, const ShownFields&, std::size_t available, std::size_t more);

}  // namespace simreel
