#pragma once
// A second stream of a GPU, for kernels that run at the same time as those of an executor's stream. Its kernels go
// first, so that the others fill the gaps at their end.

#include "exec/cuda_check.h"

namespace simreel {

class SideStream {
 public:
  SideStream() {
    int min = 0, greatest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&min, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    succeeds(cudaEventDestroy(begun_));
    succeeds(cudaEventDestroy(done_));
    succeeds(cudaStreamDestroy(stream_));
  }

  // What is launched on the result runs after what `main` was given so far.
  cudaStream_t after(cudaStream_t main) const {
    CUDA_CHECK(cudaEventRecord(begun_, main));
    CUDA_CHECK(cudaStreamWaitEvent(stream_, begun_, 0));
    return stream_;
  }
  // What `main` is given from now on runs after what was launched here.
  void join(cudaStream_t main) const {
    CUDA_CHECK(cudaEventRecord(done_, stream_));
    CUDA_CHECK(cudaStreamWaitEvent(main, done_, 0));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begun_ = nullptr, done_ = nullptr;
};

}  // namespace simreel
