#pragma once
// Memory of executors on several GPUs of a process.

#include <cstddef>
#include <span>

#include "exec/executor.h"

namespace simreel {

// Copies `count` rows of `bytes` bytes, which begin so many bytes apart, after the work that the executor was given so
// far and before later work; asynchronous on a GPU. The memory is that of executors on this or other GPUs, or of two on
// the CPU.
void copy_rows(const Executor&, void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t count);

// Arguments of copy_rows, and the GPU that `from` lies on.
struct RowCopy {
  void* to = nullptr;
  std::size_t to_stride = 0;
  const void* from = nullptr;
  std::size_t from_stride = 0, bytes = 0, count = 1;
  int device = 0;
};
// copy_rows for each, together.
void copy_all(const Executor&, std::span<const RowCopy>);

// Lets the GPU of the calling thread (exec/foreign.h) read and write the memory of others directly, where the machine
// can; copies go through the host otherwise. Nothing without CUDA.
void reach(std::span<const int> devices);

// Whether the last `reach` of this thread did so for that GPU.
bool reaches(int device);

// Copies between GPUs that read each other's memory, in one kernel: many small ones take as long as one, where each
// cudaMemcpy takes some microseconds. Only for peers.cpp; asynchronous. All memory can be read by the executor's GPU.
void copy_by_kernel(const Executor&, std::span<const RowCopy>);

}  // namespace simreel
