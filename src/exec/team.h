#pragma once
// What a Communicator calls: the ways in which ranks can be connected. communicator.h says what each function does;
// `rank` is that of the caller.

#include "exec/communicator.h"

namespace simreel {

struct Communicator::Team {
  explicit Team(int count) : size(count) {}
  virtual ~Team() = default;
  Team& operator=(Team&&) = delete;

  virtual void broadcast(int rank, void* data, std::size_t bytes) = 0;
  virtual std::vector<std::byte> gather(int rank, std::span<const std::byte> mine) = 0;
  virtual void exchange(int rank, const Executor&, std::span<const Transfer> sends,
                        std::span<const Transfer> receives) = 0;
  virtual void join(int rank, const Executor&) = 0;
  virtual bool reach_first(int rank, const Executor&) = 0;
  virtual void collect(int rank, const Executor&, std::span<const Piece> pieces, void* whole) = 0;
  virtual void meet() = 0;
  virtual void fail(int rank, std::exception_ptr) noexcept = 0;
  virtual Failure failure() = 0;
  virtual void depart(int ranks) noexcept = 0;

  const int size;
};

// The ranks that a module knows of; this process is the one that it names. `signal`: of join_processes.
Communicator connect(const SimreelMpi&, const std::function<int()>& signal);

}  // namespace simreel
