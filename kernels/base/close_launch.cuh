#pragma once
// Kernels that follow each other closely. From Hopper on, a kernel that is launched here takes its places while the
// last blocks of the kernel before it are at work, once all of them have called `let_next_begin` or have ended; that
// hides the time of a launch. What needs the results of the kernel before comes after `await_previous`. A kernel whose
// blocks all call `let_next_begin` after `await_previous` lets the next one run beside it, and read what was written
// before both: a dependent kernel begins with empty caches (PTX ISA, "Cache Operators"). On older GPUs a kernel begins
// when the one before has ended, and these functions do nothing (CUDA Programming Guide, "Programmatic Dependent Launch
// and Synchronization").

#include <cstddef>
#include <utility>

#include "exec/cuda_check.h"

namespace simreel {

// Whether the GPU of this thread can. Asked once for each GPU, because threads that launch for several of them at once
// wait for each other in the driver.
inline bool launches_closely() {
  static thread_local int asked = -1, major = 0;
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  if (device != asked) {
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    asked = device;
  }
  return major >= 9;
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

template <class... Parameters, class... Arguments>
void launch_closely(void (*kernel)(Parameters...), std::size_t blocks, int threads, int shared_bytes,
                    cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute closely{};
  closely.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  closely.val.programmaticStreamSerializationAllowed = launches_closely() ? 1 : 0;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = static_cast<unsigned>(threads);
  launch.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  launch.stream = stream;
  launch.attrs = &closely;
  launch.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, std::forward<Arguments>(arguments)...));
}

}  // namespace simreel
