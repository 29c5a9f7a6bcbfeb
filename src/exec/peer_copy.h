#pragma once
// Copies between GPUs that read each other's memory, in one kernel: many small ones take as long as one, where each
// cudaMemcpy takes some microseconds. Only for peers.cpp.

#include <span>

#include "exec/executor.h"
#include "exec/peers.h"

namespace simreel {

// Asynchronous. All memory can be read by the executor's GPU.
void copy_by_kernel(const Executor&, std::span<const RowCopy>);

}  // namespace simreel
