#pragma once
// The ranks of a run: they divide its state among them and exchange what each needs of the others. A closed set, as
// Backend is: a rank that is alone, the threads of one process, or processes that a launcher started (processes.h).
// Code is written for ranks; alone, it costs nothing.
//
// The threads share the CPU, or have a GPU each. Executor memory then goes from GPU to GPU by copies that the receiver
// submits (docs/design/ranks.md says why), so no GPU ever waits for a copy that a failed rank does not make; or ranks
// write to memory of rank 0 (`reach_first`). Processes exchange host memory by MPI, and memory of GPUs through it.
//
// Every function but `fail` and the queries is collective: all ranks call the same ones in the same order. Once a rank
// has failed they throw RankFailed, at once in those that wait.

#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "exec/executor.h"

struct SimreelMpi;  // mpi_module.h

namespace simreel {

// Executor memory that goes to another rank, or comes from it: `count` pieces of `bytes` bytes, `stride` bytes apart.
struct Transfer {
  int peer = 0;  // may be this rank
  void* memory = nullptr;
  std::size_t bytes = 0, count = 1, stride = 0;
};

// Executor memory of a rank, and its place in an array of all ranks.
struct Piece {
  void* memory = nullptr;
  std::size_t offset = 0, bytes = 0;
};

// Another rank failed; its error is Communicator::failure.
struct RankFailed : std::exception {
  const char* what() const noexcept override { return "another rank failed"; }
};

class Communicator {
 public:
  Communicator() = default;  // alone
  // For the threads of this process, a rank each. One that waits for the others spins for `patience`: where ranks
  // meet every few microseconds, as those of GPUs do, it takes longer to wake a thread than to wait.
  static std::vector<Communicator> threads(int count, std::chrono::microseconds patience = {});

  bool alone() const { return !team_; }
  int rank() const { return rank_; }
  int size() const;

  // Copies host memory of rank 0 to all ranks; of a text its length, too.
  void broadcast(void* data, std::size_t bytes) const;
  void broadcast(std::string& text) const;

  // The values of all ranks, one rank after the other; their numbers may differ.
  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::byte> bytes = gather_bytes(std::as_bytes(mine));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

  // Moves executor memory between ranks: the n-th receive from a peer gets the bytes of that peer's n-th send to this
  // rank. After the work submitted so far, and before later work.
  void exchange(const Executor&, std::span<const Transfer> sends, std::span<const Transfer> receives) const;

  // Of threads: what rank 0's executor is given from now on begins after all that the others' were given so far, and
  // what they are given after all that rank 0's was. Of processes nothing, since what they send has arrived.
  void join(const Executor&) const;

  // Whether the executors of all ranks write to memory of rank 0's themselves: those of threads that share the CPU, or
  // whose GPUs have access to the memory of the first. Such work is ordered by `join`.
  bool reach_first(const Executor&) const;

  // Copies the pieces of all ranks to their places in `whole`, host memory of rank 0; the others' argument does not
  // matter. Waits.
  void collect(const Executor&, std::span<const Piece> pieces, void* whole) const;

  // Returns when all ranks have called it.
  void meet() const;

  // Marks this rank as failed, so that the others end. The first error is kept.
  void fail(std::exception_ptr) const noexcept;
  struct Failure {
    int rank = -1;  // -1: none has failed
    std::exception_ptr error;
    std::string host = {};  // of that rank, if it is another process
  };
  Failure failure() const;
  // For messages: "rank 3", "rank 3 (node2)".
  static std::string name_of(int rank, const std::string& host);

  // Returns when all ranks have called it, failed or not. After that none submits work on the
  // memory of another. Counts for
  // `ranks` ranks: this one, and those whose threads could not be started.
  void depart(int ranks = 1) const noexcept;

 private:
  friend Communicator connect(const SimreelMpi&, const std::function<int()>&);
  struct Team;  // team.h
  struct ThreadTeam;
  struct ProcessTeam;
  Communicator(std::shared_ptr<Team>, int rank);
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const;

  std::shared_ptr<Team> team_;
  int rank_ = 0;
};

}  // namespace simreel
