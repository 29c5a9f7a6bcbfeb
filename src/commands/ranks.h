#pragma once
// The processes that mpirun or srun started as the ranks of one run.

#include <functional>

namespace simreel {

// Runs the command on rank 0, or where there is only one process; the other ranks compute what it tells them. Returns
// the exit code of the process. `command` throws nothing.
int run_on_ranks(const std::function<int()>& command);

}  // namespace simreel
