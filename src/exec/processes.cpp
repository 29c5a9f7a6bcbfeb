// Joining the run that a launcher started.

#include "exec/processes.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "exec/machine.h"
#include "exec/mpi_module.h"
#include "exec/team.h"

namespace simreel {
namespace {

// What launchers say of the run in the environment of each process: how many there are, and which one this is.
struct Launched {
  const char *size_name, *rank_name;
};
constexpr Launched launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
int number_in(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

struct Run {
  ProcessRank here;
  const SimreelMpi* mpi = nullptr;
  Communicator ranks;
} run;

const SimreelMpi& load_module(const Launched& launcher, int count) {
  const auto fail = [&](const std::string& why) {
    throw UsageError(
        "this is one of {} processes that a launcher started as one run ({}), which needs MPI: {}. On one host "
        "--devices 0,1 needs none; SIMREEL_MPI=off makes each process a run of its own",
        count, launcher.size_name, why);
  };
  const char* const named = std::getenv("SIMREEL_MPI_MODULE");
  void* const library = dlopen(named ? named : "libsimreel_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    fail(
        fmt::format("{}. CMake builds that file where it finds MPI (Debian: libopenmpi-dev), and $SIMREEL_MPI_MODULE "
                    "may name one",
                    dlerror()));
  const auto start = reinterpret_cast<decltype(&simreel_start_mpi)>(dlsym(library, simreel_mpi_start));
  const SimreelMpi* const mpi = start ? start() : nullptr;
  if (!mpi) fail(fmt::format("{} did not start", named ? named : "libsimreel_mpi.so"));
  if (mpi->version != simreel_mpi_version) fail("its module is that of another version of simreel; build it again");
  if (mpi->size != count)
    fail(
        fmt::format("MPI was not started, it knows of {} process{}. With Slurm: srun --mpi=pmix; else the mpirun is "
                    "that of another MPI than simreel's",
                    mpi->size, mpi->size == 1 ? "" : "es"));
  return *mpi;
}

}  // namespace

int launched_rank() {
  for (const Launched& launcher : launchers)
    if (number_in(launcher.size_name) > 1) return number_in(launcher.rank_name);
  return 0;
}

const ProcessRank& join_processes(const std::function<int()>& signal) {
  const char* const said = std::getenv("SIMREEL_MPI");
  const std::string_view wanted = said ? said : "";
  if (wanted == "off") return run.here;
  if (!wanted.empty() && wanted != "on")
    throw UsageError("SIMREEL_MPI={}: write off, which makes each process a run of its own, or on", wanted);
  for (const Launched& launcher : launchers) {
    const int count = number_in(launcher.size_name);
    if (count <= 1) continue;
    run.mpi = &load_module(launcher, count);
    run.here = {run.mpi->rank, run.mpi->size, run.mpi->local_rank, run.mpi->local_size, run.mpi->host};
    run.ranks = connect(*run.mpi, signal);
    break;
  }
  return run.here;
}

const ProcessRank& processes() { return run.here; }
Communicator communicator_of_processes() { return run.ranks; }

int own_cores() {
  const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), bound = bound_cores(), usable = usable_cores();
  // The time of a control group is that of all its processes.
  return usable == bound && bound < online ? bound : std::max(1, usable / run.here.local_size);
}

void leave_processes(int code) {
  if (!run.mpi) return;
  if (run.ranks.failure().rank < 0) return run.mpi->end();
  std::fflush(nullptr);
  if (run.here.rank == 0) run.mpi->abort(code);
  // Rank 0 finishes the outputs, then ends all. What this rank told the others leaves while it listens; one that was
  // told lets MPI write no more.
  char text = 0;
  int from = 0;
  for (const bool told = run.ranks.failure().rank != run.here.rank;;) {
    if (!told) run.mpi->hear(&text, 1, &from);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace simreel
