#pragma once
// Where ranks compute, and the memory that they have there.

#include <cstddef>
#include <string>
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

// What one of several ranks takes of the memory where it computes.
struct RankMemory {
  std::size_t bytes = 0;
  std::size_t available = 0;    // for it
  bool with_the_first = false;  // the memory is that of the first rank, of which SolverPlan::bytes counts all
  std::string host = {};        // of a rank that is a process
};
// Of each rank; asks all of them. Empty where there is one. Throws the errors of ranks that cannot compute.
std::vector<RankMemory> memory_of_ranks(const SolverPlan&, const Executor&, const ViewRequirements&);

// On how many ranks the plan fits at least, if each has so much memory of its own, and the first one needs `more`
// in addition to its part; 0: on no number.
int ranks_that_fit(const SolverPlan&, const Executor&, const ViewRequirements&, std::size_t available,
                   std::size_t more);

}  // namespace simreel
