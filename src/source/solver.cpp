#include "source/solver.h"

#include <algorithm>
#include <cmath>

namespace simreel {

std::int64_t Solver::work_to(std::int64_t frame) const {
  return pace_.start + frame * pace_.steps_per_frame - steps_done_;
}

void Solver::advance_towards(std::int64_t frame) { step(std::min(pace_.portion, work_to(frame))); }

void create_alone(SolverPlan& plan) {
  plan.create = [create = plan.create_rank](const Executor& executor) {
    static const Communicator alone;
    return create(executor, alone);
  };
}

std::array<int, 2> smaller_grid(std::array<int, 2> grid, double cells) {
  const double share = std::sqrt(cells / (static_cast<double>(grid[0]) * grid[1]));
  if (share >= 1) return grid;
  const auto part = [](int all, double some) { return std::clamp(static_cast<int>(std::min(some, 1e9)), 1, all); };
  const int width = part(grid[0], grid[0] * share);
  return {width, part(grid[1], cells / width)};
}

}  // namespace simreel
