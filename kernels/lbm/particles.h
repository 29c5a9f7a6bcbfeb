#pragma once
// Particles that the flow carries and that do not act on it: x' = u(x, t), by Heun's method, which is of second order,
// with a step of `lbm_particle_interval` steps of the flow. The velocity between the centres of cells is linear along
// both axes; beside a wall it is that of a line through the wall's velocity, in the middle between cells. All in double
// precision, so places do not depend on how the grid is divided.

#include <cstdint>

#include "kernels/lbm/lbm.h"

namespace simreel {

inline constexpr int lbm_particle_interval = 4;

struct LbmParticle {
  double x, y;        // cells of the whole grid; a whole number is a cell's centre
  double u, v;        // the velocity there, cells a step; NaN: it has not begun
  std::int64_t born;  // the step from which on it moves
  std::int64_t life;  // of its lives, from 1
};

struct LbmSeed {
  double x, y;
};

// Particles of a set end after `life` steps (0: never), and where they leave through an inlet or an outlet. They begin
// again at their seeds, `period` steps after they began before, or at once where that is 0.
struct LbmParticleSet {
  int end = 0;  // it has the particles before this one
  std::int64_t life = 0, period = 0;
};

struct LbmParticles {
  const LbmParticle* from = nullptr;
  LbmParticle* to = nullptr;
  const LbmSeed* seed = nullptr;
  int count = 0;
  LbmParticleSet set[PathsView::max_sets];
};

// Moves the particles in rows first <= row < first + count of the whole grid from `step` - lbm_particle_interval to
// `step`, of which `state` is; three more rows on either side must be valid. Others are left out.
template <class Real, class Stored>
void lbm_move(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored* state, const LbmParticles&,
              int first, int count, std::int64_t step);

// Takes the particles that were in other ranks' rows from what these have sent: `received` has all particles of each
// rank, and `first` the first row of each rank, and after it the number of rows of the grid.
void lbm_merge(const Executor&, const LbmParticles&, const LbmParticle* received, const int* first, int rank,
               int ranks);

// Where the particles are `since` steps after they were moved.
void lbm_place_particles(const Executor&, const LbmParticle* particles, int count, int since, PathPoint* to);

}  // namespace simreel
