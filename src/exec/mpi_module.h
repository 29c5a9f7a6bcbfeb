#pragma once
// What the program takes of MPI: a table of C functions. The module that fills it in (src/mpi/mpi_module.cpp) is a
// library of its own, loaded under a launcher only, so the program needs no MPI to build or to start, and a cluster
// rebuilds that one file with its own mpicxx.
//
// All functions belong to one thread. Memory is that of the host.

#include <cstddef>

extern "C" {

struct SimreelMpi {
  int version;  // simreel_mpi_version of the module

  int rank, size;              // in the run
  int local_rank, local_size;  // among the ranks of this host
  const char* host;

  // Each begins and returns a request. The memory must stay until `done` has said 1, which frees the request.
  // Messages between two ranks arrive in the order of their sends.
  void* (*send)(const void* data, std::size_t bytes, int to);
  void* (*receive)(void* data, std::size_t bytes, int from);
  void* (*broadcast)(void* data, std::size_t bytes);                // from rank 0
  void* (*gather)(const void* mine, std::size_t bytes, void* all);  // `bytes` of each rank, to all of them
  void* (*barrier)();
  int (*done)(void* request);

  // Short messages besides all that: `tell` copies the text; `hear` returns its length (cut off at `capacity`), or -1
  // if there is none.
  void (*tell)(const char* text, std::size_t bytes, int to);
  long (*hear)(char* text, std::size_t capacity, int* from);

  void (*end)();            // collective
  void (*abort)(int code);  // ends all ranks at once, with this exit code; does not return
};

// Starts MPI; null if that fails. Once in a process.
const SimreelMpi* simreel_start_mpi();
}

inline constexpr int simreel_mpi_version = 1;
inline constexpr char simreel_mpi_start[] = "simreel_start_mpi";
