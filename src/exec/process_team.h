#pragma once
// Ranks that are processes: what they say to each other by MPI (team_processes.cpp), and the memory of their GPUs by
// NCCL (process_link.cpp).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "exec/gpu_link.h"
#include "exec/mpi_module.h"
#include "exec/team.h"

namespace simreel {

// The ranks that a module knows of; this process is the one that it names. `signal`, `log`: of join_processes.
Communicator connect(const SimreelMpi&, const std::function<int()>& signal, const Log& log);

// Of a short message between ranks: this one could not connect its GPU to the others.
inline constexpr char no_link_message = 'l';

struct Communicator::ProcessTeam final : Communicator::Team {
  ProcessTeam(const SimreelMpi&, std::function<int()> signal, Log);

  void broadcast(int rank, void* data, std::size_t bytes) override;
  std::vector<std::byte> gather(int rank, std::span<const std::byte> mine) override;
  void link(const Executor&) override;
  bool unlink() noexcept override;
  std::string transport() const override;
  void exchange(int rank, const Executor&, std::span<const Transfer> sends,
                std::span<const Transfer> receives) override;
  void join(int, const Executor&) override {}  // what came from other ranks has arrived
  bool reach_first(int, const Executor&) override { return false; }
  void collect(int rank, const Executor&, std::span<const Piece> pieces, void* whole) override;
  void meet() override;
  void fail(int rank, std::exception_ptr) noexcept override;
  Failure failure() override { return first_failure_; }
  void depart(int) noexcept override {}  // no process reads the memory of another

  const SimreelMpi& mpi;

 private:
  void exchange_through_host(const Executor&, std::span<const Transfer> sends, std::span<const Transfer> receives);
  void exchange_by_link(const Executor&, std::span<const Transfer> sends, std::span<const Transfer> receives);

  // Parts of `link`: each says why there is none, or nothing.
  std::string agree_on_nccl(const NcclFound&);
  std::string connect_gpus(const Nccl&);
  // The first of the ranks that gave a reason, and its reason.
  std::string first_reason(const std::string& own);
  bool abort_link() noexcept;  // false: as GpuLink::abort
  void drop_link() noexcept;

  // Returns when the request that `begin` gives is done. A request is never given up where MPI goes on: after
  // RankFailed this process makes no more calls that would let it write to memory that is gone.
  void wait(const std::function<void*()>& begin);
  // Returns when `done` says so, and hears meanwhile of failures and signals: then it throws RankFailed.
  void until(const std::function<bool()>& done);
  void listen();
  // Short messages go to all others.
  void tell_all(std::string_view text) const noexcept;

  std::function<int()> signal_;
  Log log_;
  bool told_signal_ = false;
  Failure first_failure_;

  std::optional<Backend> linked_for_;  // the executors that `link` was called with; the same on all ranks
  std::unique_ptr<GpuLink> link_;      // none: through the host
  std::string transport_;
  bool given_up_ = false;  // another rank could not connect
  bool stuck_ = false;     // a thread is still in NCCL
};

}  // namespace simreel
