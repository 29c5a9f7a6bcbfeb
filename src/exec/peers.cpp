#include "exec/peers.h"

#include <cuda_runtime_api.h>

#include <limits>

#include "exec/cuda_check.h"
#include "exec/foreign.h"
#include "exec/threads.h"

namespace simreel {

void copy_rows(const Executor& executor, void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t count) {
  if (executor.backend() == Backend::cpu)
    return copy_rows_host(executor, to, to_stride, from, from_stride, bytes, count);
  constexpr std::size_t longest = std::numeric_limits<int>::max();  // stride of a copy of rows
  if (count > 1 && to_stride <= longest && from_stride <= longest) {
    CUDA_CHECK(cudaMemcpy2DAsync(to, to_stride, from, from_stride, bytes, count, cudaMemcpyDefault, executor.stream()));
    return;
  }
  for (std::size_t row = 0; row < count; ++row)
    CUDA_CHECK(cudaMemcpyAsync(static_cast<std::byte*>(to) + row * to_stride,
                               static_cast<const std::byte*>(from) + row * from_stride, bytes, cudaMemcpyDefault,
                               executor.stream()));
}

void reach(std::span<const int> devices) {
  if (devices.empty()) return;  // there may be no driver
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
