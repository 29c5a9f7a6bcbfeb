#pragma once
// The way between the GPUs of several processes: a communicator of NCCL. Nothing here waits for another rank: what is
// begun is over when `ready` says so, and can be aborted until then.

#include <chrono>
#include <span>
#include <string>

#include "exec/communicator.h"
#include "exec/nccl.h"

namespace simreel {

class GpuLink {
 public:
  // Begins to connect the ranks, on the calling thread's GPU. All ranks have the same identifier, made by one of them.
  // Throws RuntimeError.
  GpuLink(const Nccl&, const NcclId&, int rank, int size);
  ~GpuLink();  // aborts
  GpuLink(const GpuLink&) = delete;
  GpuLink& operator=(const GpuLink&) = delete;

  // Whether what was begun is done; of an exchange, that the GPU was given it. Throws RuntimeError with NCCL's words,
  // and a way out, when it failed here or the connection to another rank broke.
  bool ready() const;

  // Gives the executor all that goes to other ranks and comes from them. Call `ready` until it is true. All ranks make
  // the same exchanges in the same order; what a rank has for itself is left out.
  void begin(const Executor&, std::span<const Transfer> sends, std::span<const Transfer> receives);

  // Begins to disconnect, after all exchanges; then `ready`, then `close`.
  void begin_end();

  // Frees what `begin_end` has ended. False if NCCL did not come back within a minute.
  bool close() noexcept;

  // Ends what is under way, the kernels on the GPU too. Each rank does that once one has failed. False if NCCL did not
  // come back within three seconds: the GPU's queue may then be held for ever.
  //
  // After either was false a thread is still in NCCL, so the process may end by _exit only: what exit() destroys is in
  // use.
  bool abort() noexcept;

 private:
  void check(NcclResult, const char* call) const;
  bool end_by(NcclResult (*end)(ncclComm*), std::chrono::seconds longest) noexcept;

  const Nccl nccl_;
  const int rank_;
  ncclComm* comm_ = nullptr;
};

// Of a process that makes the identifier. Throws RuntimeError.
NcclId make_id(const Nccl&);

}  // namespace simreel
