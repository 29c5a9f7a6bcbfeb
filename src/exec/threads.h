#pragma once
// The host threads of an Executor; shared by its CPU and CUDA builds only.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

#include "exec/executor.h"

namespace simreel {

struct Executor::Threads {
  explicit Threads(int count);

  int count;
  std::optional<oneapi::tbb::global_control> more;  // allows oneTBB to start more threads than cores
  mutable oneapi::tbb::task_arena arena;
};

void clear_host(const Executor&, void* memory,
                std::size_t bytes);  // on all its threads: the first touch of a page costs most
// Copies on all its threads.
void copy_rows_host(const Executor&, void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
                    std::size_t bytes, std::size_t count);
void* allocate_host(std::size_t bytes);
void release_host(void* memory) noexcept;

}  // namespace simreel
