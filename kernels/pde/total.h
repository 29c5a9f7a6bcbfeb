#pragma once
// The sum and the extremes of an array over a grid.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/reduce.h"

namespace simreel {

struct PdeTotal {
  double sum = 0, low = 0, high = 0;
  int wrong = 0;  // whether a value is infinite or not a number
};

// Bytes of scratch memory that pde_total needs for a grid of nx by ny cells.
std::size_t pde_total_bytes(int nx, int ny);
// Of the own rows of all ranks; `first` is value (0, 0) of a part. Executor memory. Waits for the executor. The bits
// depend on neither the backend nor threads nor ranks.
template <class Real>
PdeTotal pde_total(const Executor&, const Real* first, std::size_t pitch, int nx, const OwnRows&, void* scratch);

}  // namespace simreel
