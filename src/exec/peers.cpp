#include "exec/peers.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "exec/cuda_check.h"
#include "exec/foreign.h"
#include "exec/threads.h"

namespace simreel {
namespace {

// The GPUs whose memory that of this thread reads and writes.
thread_local std::vector<int> reached;

}  // namespace

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

// By a kernel where this GPU reads the memory itself, and the copies are small. Large ones are as fast either way, and
// leave the multiprocessors alone as plain copies.
void copy_all(const Executor& executor, std::span<const RowCopy> copies) {
  constexpr std::size_t small = std::size_t{32} << 20;  // bytes together
  std::vector<RowCopy> near;
  std::size_t bytes = 0;
  if (executor.backend() == Backend::cuda)
    for (const RowCopy& c : copies)
      if (reaches(c.device)) {
        near.push_back(c);
        bytes += c.bytes * c.count;
      }
  const bool by_kernel = bytes <= small && !near.empty();
  if (by_kernel) copy_by_kernel(executor, near);
  for (const RowCopy& c : copies)
    if (!by_kernel || !reaches(c.device))
      copy_rows(executor, c.to, c.to_stride, c.from, c.from_stride, c.bytes, c.count);
}

bool reaches(int device) { return std::ranges::find(reached, device) != reached.end(); }

void reach(std::span<const int> devices) {
  reached.clear();
  if (devices.empty()) return;  // there may be no driver
  const int own = current_device();
  for (const int device : devices) {
    int can = device == own ? 1 : 0;
    if (!can && (!succeeds(cudaDeviceCanAccessPeer(&can, own, device)) || can == 0)) continue;
    reached.push_back(device);
    if (device == own) continue;
    const cudaError_t code = cudaDeviceEnablePeerAccess(device, 0);
    static_cast<void>(cudaGetLastError());  // it may be enabled already
    if (code != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(code);
  }
}

}  // namespace simreel
