#pragma once
// Kernels that follow each other closely. In code for Hopper and later GPUs, a kernel that is launched here takes its
// places while the last blocks of the kernel before it are at work, once all of them have called `let_next_begin` or
// have ended; that hides the time of a launch. Behind an event that its stream follows it begins when that is complete,
// as any kernel does. What needs the results of the kernel before comes after `await_previous`. In other code a kernel
// begins when the one before has ended, and these functions do nothing.
// CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization".

#include <cstddef>
#include <utility>

#include "exec/cuda_check.h"

namespace simreel {

// Whether this GPU runs code for Hopper or later. All kernels of the program are compiled for the same GPUs; one of
// each type is asked once for each GPU, because threads that launch for several GPUs wait for each other in the driver.
template <class Kernel>
bool launches_closely(Kernel* kernel) {
  static thread_local int asked = -1;
  static thread_local bool closely = false;
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  if (device != asked) {
    cudaFuncAttributes loaded{};
    CUDA_CHECK(cudaFuncGetAttributes(&loaded, kernel));
    closely = loaded.ptxVersion >= 90;  // lower where a driver has compiled code for older GPUs
    asked = device;
  }
  return closely;
}

// Returns when the kernel before has ended and what it wrote can be read.
__device__ inline void await_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// `await_previous`; then the next kernel may run at the same time as this one, and read without waiting what was
// written before both: it begins when the first block has seen all that. For all threads of all blocks.
__device__ inline void await_previous_for_next() {
  if (blockIdx.x > 0) let_next_begin();
  await_previous();
#if __CUDA_ARCH__ >= 900
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    __threadfence();  // what this thread has seen, the next kernel sees
    let_next_begin();
  }
#endif
}

template <class... Parameters, class... Arguments>
void launch_closely(void (*kernel)(Parameters...), std::size_t blocks, dim3 threads, int shared_bytes,
                    cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute closely{};
  closely.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  closely.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = threads;
  launch.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  launch.stream = stream;
  launch.attrs = &closely;
  launch.numAttrs = launches_closely(kernel) ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, std::forward<Arguments>(arguments)...));
}

}  // namespace simreel
