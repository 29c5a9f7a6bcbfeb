#pragma once

#include <cstddef>

#include "exec/executor.h"

namespace simreel {

// The bandwidth of a plain copy inside the executor's memory in bytes per second, counting bytes read and bytes
// written: the yardstick for memory-bound kernels. Median of `runs`; takes twice `bytes` of memory.
double copy_bandwidth(const Executor&, std::size_t bytes, int runs);

}  // namespace simreel
