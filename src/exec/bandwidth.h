#pragma once

#include <cstddef>

#include "exec/executor.h"

namespace simreel {

// Bytes a second that a plain copy inside the executor's memory moves, counting each byte read and written: the
// yardstick for memory-bound kernels. Median of `runs`; takes twice `bytes` of memory.
double copy_bandwidth(const Executor&, std::size_t bytes, int runs);

}  // namespace simreel
