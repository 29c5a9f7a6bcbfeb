#pragma once
// Many small kernels as one submission.

#include <functional>

#include "exec/executor.h"

struct CUgraphExec_st;  // cudaGraphExec_t is a pointer to this

namespace simreel {

// Submits the same kernels again and again, with other parameters each time. Belongs to the executor's thread.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  // Calls `work` once and submits what it gives to the executor, on a GPU in one call of the driver instead of one for
  // each kernel: threads that submit at the same time wait for each other there. `work` may let other executors follow
  // events of this one, if this one follows theirs in the end. It must not wait or allocate. While it runs, no thread
  // of the process may wait for the whole GPU (cudaDeviceSynchronize): CUDA refuses that, and the work is lost. Kernels
  // that differ from those of the last call, or their order, take the time to make a graph anew. Passes what `work`
  // throws on; a GPU does nothing of it then. Throws RuntimeError if the device failed.
  void submit(const Executor&, const std::function<void()>& work);
  // Submits what the last call of `submit` gave once more, parameters and all. False if there is nothing, as always on
  // a CPU.
  bool repeat(const Executor&);

 private:
  [[maybe_unused]] CUgraphExec_st* made_ = nullptr;  // unused without CUDA
};

}  // namespace simreel
