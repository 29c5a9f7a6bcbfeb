#include "source/solver.h"

#include <algorithm>

namespace simreel {

std::int64_t Solver::work_to(std::int64_t frame) const {
  return pace_.start + frame * pace_.steps_per_frame - steps_done_;
}

void Solver::advance_towards(std::int64_t frame) { step(std::min(pace_.portion, work_to(frame))); }

}  // namespace simreel
