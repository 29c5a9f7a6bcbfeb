#pragma once
// The processes that a launcher (mpirun, srun) started as the ranks of one run. Without a launcher there is one, and
// nothing of MPI is loaded.
//
// Rank 0 does all that a process without a launcher does. The others only compute what it tells them (source/ranked.h).

#include <functional>
#include <string>

#include "exec/communicator.h"

namespace simreel {

struct ProcessRank {
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // among those of this host
  std::string host;
};

// Joins the run that a launcher's variables in the environment tell of, if there is one, and says which rank this is.
// `signal` is asked whenever a rank waits, for the number of a signal that it got, or 0: rank 0 then gets the same,
// unless it has got one. $SIMREEL_MPI = off: this process is a run of its own, whatever the launcher. Once, on the
// thread that will wait. Throws UsageError if MPI cannot be had, or knows of one process where the launcher tells of
// several, and for other values of $SIMREEL_MPI than off, on and nothing.
const ProcessRank& join_processes(const std::function<int()>& signal);

// The rank that the launcher's variables name, without joining; 0 without a launcher. For who prints what goes wrong.
int launched_rank();

// Of join_processes; one process before it.
const ProcessRank& processes();

// How many cores this process should use: those that the launcher bound it to, or its share of those of the host.
int own_cores();

// These ranks. A rank that waits for others sees to it that failures are heard of.
Communicator communicator_of_processes();

// Ends MPI before the process ends with this exit code. Collective, unless a rank has failed: then all are ended at
// once, with this code, and this does not return. Nothing without a launcher.
void leave_processes(int code);

}  // namespace simreel
