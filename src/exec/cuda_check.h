#pragma once
// CUDA error codes as exceptions. Only for files that include CUDA headers anyway.

#include <cuda_runtime_api.h>

namespace simreel {

// CUDA keeps the error of a call until it is asked for it, so that a later check_launch would take it for that of its
// kernel: whoever handles an error clears it. These do.

// Throws RuntimeError with the expression, CUDA's name and text for the code, file and line.
[[noreturn]] void throw_cuda_error(cudaError_t code, const char* expression, const char* file, int line);

// For a call whose failure changes nothing. Returns whether it succeeded.
bool succeeds(cudaError_t code) noexcept;

// Throws RuntimeError naming the kernel if its launch was refused. In a debug build it also waits for the kernel, so
// that a fault is reported where it happened.
void check_launch(const char* kernel);

}  // namespace simreel

// A macro, because the expression and its place belong in the message.
#define CUDA_CHECK(expression)                                                                             \
  do {                                                                                                     \
    const cudaError_t cuda_code = (expression);                                                            \
    if (cuda_code != cudaSuccess) ::simreel::throw_cuda_error(cuda_code, #expression, __FILE__, __LINE__); \
  } while (false)
