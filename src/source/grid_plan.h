#pragma once
// What the plans of all solvers on a grid say alike.

#include <array>
#include <cstddef>

#include "ranks/slab.h"
#include "source/solver.h"

namespace simreel {

// Of a grid in rows of `pitch` values of `bytes` bytes, whose views mark `solids`.
inline void plan_grid(SolverPlan& plan, std::array<int, 2> grid, std::size_t pitch, std::size_t bytes, bool solids) {
  const std::size_t cells = static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]);
  plan.grid.outlined = solids;
  plan.grid.solid_bytes = solids ? cells : 0;
  plan.grid.cells = grid;
  plan.view_bytes = cells * bytes;
  plan.size_key = "grid";
  plan.updates_per_step = static_cast<double>(cells);
  plan.max_ranks = Domain::max_ranks(grid[1]);
  plan.part_shown_bytes = [=](int rank, int ranks, const ViewRequirements& shown) {
    return shown_bytes(rank, ranks, pitch * (bytes + (solids ? 1 : 0)), grid[0], grid[1], shown);
  };
}

}  // namespace simreel
