#pragma once
// The processes that mpirun or srun started as the ranks of one run.

#include <functional>

namespace simreel {

// Runs the command on rank 0, or where there is only one process; the other ranks compute what it tells them. Ranks
// that were given arguments, and others than rank 0, are an error: theirs would be lost. Returns the exit code.
// `command` throws nothing.
int run_on_ranks(int argc, char** argv, const std::function<int()>& command);

}  // namespace simreel
