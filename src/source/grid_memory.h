#pragma once
// Refuses a grid that no memory of this machine holds, before anything is computed on its cells.

#include <cstddef>
#include <string_view>

#include "scene/table.h"

namespace simreel {

// `state`: bytes of the solver, on the host or divided among all GPUs; `made`: bytes of what is computed on the host
// before, and `what` that is. Whether the memory that the run will use is enough shows later. Throws UsageError at the
// key `grid`.
void check_grid_memory(const Table& keys, std::size_t state, std::size_t made, std::string_view what);

}  // namespace simreel
