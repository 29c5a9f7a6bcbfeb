#include "source/solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "exec/processes.h"

namespace simreel {

std::int64_t Solver::work_to(std::int64_t frame) const { return pace_.animation.step_at(frame) - steps_done_; }

// How long a step takes is known only when it is taken: a sanitizer, a busy machine or a wave that has faded into
// denormal numbers makes it many times slower, and signals are heard between portions.
void Solver::advance_towards(std::int64_t frame) {
  using namespace std::chrono_literals;
  const std::int64_t count = std::min(portion_, work_to(frame));
  const auto start = std::chrono::steady_clock::now();
  step(count);
  const auto took = std::chrono::steady_clock::now() - start;
  if (took > 200ms) portion_ = std::max(portion_ / 2, pace_.least);
  if (took < 50ms && count == portion_) portion_ = std::min(portion_ * 2, pace_.most);
}

void create_alone(SolverPlan& plan) {
  plan.create = [create = plan.create_rank](const Executor& executor) {
    static const Communicator alone;
    return create(executor, alone);
  };
}

namespace {

// Over the ranks in the memory of the first: where there is no other one, about equal parts.
template <class Bytes>
std::size_t sum_of(const Ranks& ranks, const Executor& executor, const Bytes& bytes_of) {
  const int sharing = executor.backend() == Backend::cuda ? 1 : ranks.processes ? processes().local_size : ranks.count;
  std::size_t bytes = 0;
  for (int rank = 0; rank < sharing; ++rank) bytes += bytes_of(rank);
  return bytes;
}

}  // namespace

std::size_t SolverPlan::bytes(const Executor& executor) const {
  return sum_of(ranks, executor, [&](int rank) { return part_bytes(executor, rank, ranks.count); });
}

std::size_t SolverPlan::shown_bytes(const Executor& executor, const ViewRequirements& shown) const {
  return sum_of(ranks, executor, [&](int rank) { return part_shown_bytes(rank, ranks.count, shown); });
}

std::array<int, 2> smaller_grid(std::array<int, 2> grid, double cells) {
  const double share = std::sqrt(cells / (static_cast<double>(grid[0]) * grid[1]));
  if (share >= 1) return grid;
  const auto part = [](int all, double some) { return std::clamp(static_cast<int>(std::min(some, 1e9)), 1, all); };
  const int width = part(grid[0], grid[0] * share);
  return {width, part(grid[1], cells / width)};
}

}  // namespace simreel
