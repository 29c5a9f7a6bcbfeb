#include "exec/peers.h"

#include <cuda_runtime_api.h>

#include "exec/cuda_check.h"
#include "exec/foreign.h"
#include "exec/threads.h"

namespace simreel {

void copy_rows(const Executor& executor, void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t count) {
  if (executor.backend() == Backend::cpu)
    copy_rows_host(executor, to, to_stride, from, from_stride, bytes, count);
  else if (count == 1)
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, executor.stream()));
  else
    CUDA_CHECK(cudaMemcpy2DAsync(to, to_stride, from, from_stride, bytes, count, cudaMemcpyDefault, executor.stream()));
}

void reach(std::span<const int> devices) {
  const int own = current_device();
  for (const int device : devices) {
    int can = 0;
    if (device == own || cudaDeviceCanAccessPeer(&can, own, device) != cudaSuccess || can == 0) continue;
    const cudaError_t code = cudaDeviceEnablePeerAccess(device, 0);
    static_cast<void>(cudaGetLastError());  // it may be enabled already
    if (code != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(code);
  }
}

}  // namespace simreel
