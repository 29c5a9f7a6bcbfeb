#include "kernels/lbm/particles.h"

#include <cmath>
#include <limits>

#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

// The row or column of cells in which a place lies.
HD int cell_at(double x, int n) {
  const int cell = static_cast<int>(std::floor(x + 0.5));
  return cell < 0 ? 0 : cell < n ? cell : n - 1;
}

template <class Real, class Stored>
struct Move {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* state;
  LbmParticles particles;
  int first, count;
  std::int64_t step;

  struct Vector {
    double x, y;
  };

  HD std::size_t place(int x, int y) const {
    int row = y - p.y0;
    if (row < 0) row += p.whole_ny;
    if (row >= p.ny) row -= p.whole_ny;
    return lbm_place(p, x, row);
  }
  HD static double limited(Real u) {
    const double value = static_cast<double>(u);
    return value > lbm_speed_limit ? lbm_speed_limit : value > -lbm_speed_limit ? value : -lbm_speed_limit;
  }
  HD Vector in_cell(std::size_t at) const {
    Real q[9];
    lbm_load_cell(p, state, at, q);
    const LbmMacroscopic<Real> cell_at = lbm_macroscopic(lbm_push_at(p, at, 0), q);
    return {limited(cell_at.ux), limited(cell_at.uy)};
  }
  // One cell beyond a side, from the velocity in the cell before it.
  HD Vector beyond(LbmSide side, bool along_x, Vector u) const {
    if (side == LbmSide::inlet || side == LbmSide::outlet) return u;
    if (side == LbmSide::slip) return along_x ? Vector{-u.x, u.y} : Vector{u.x, -u.y};
    const double wall = side == LbmSide::moving ? 2 * static_cast<double>(p.velocity) : 0.0;
    return along_x ? Vector{-u.x, wall - u.y} : Vector{wall - u.x, -u.y};
  }

  // Between four centres, [row][column]. What lies in solid cells follows from those beside them, and what lies beyond
  // a side from the row or column before it.
  HD Vector velocity(double x, double y) const {
    const double low_x = std::floor(x), low_y = std::floor(y);
    const int column = static_cast<int>(low_x), row = static_cast<int>(low_y);
    const bool wraps_x = p.left == LbmSide::periodic, wraps_y = p.bottom == LbmSide::periodic;
    const int out_x = wraps_x ? -1 : column < 0 ? 0 : column + 1 >= p.nx ? 1 : -1;
    const int out_y = wraps_y ? -1 : row < 0 ? 0 : row + 1 >= p.whole_ny ? 1 : -1;
    Vector u[2][2] = {};
    bool fluid[2][2] = {};
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) {
        if (r == out_y || c == out_x) continue;
        const std::size_t at = place(lbm_fold(column + c, p.nx), lbm_fold(row + r, p.whole_ny));
        fluid[r][c] = cell[at] >= 0;
        if (fluid[r][c]) u[r][c] = in_cell(at);
      }
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) {
        if (r == out_y || c == out_x || fluid[r][c]) continue;
        const double beside = fluid[r][1 - c] ? 1 : 0, above = fluid[1 - r][c] ? 1 : 0;
        const double sum = beside + above;
        if (sum == 0) continue;
        u[r][c] = {-(beside * u[r][1 - c].x + above * u[1 - r][c].x) / sum,
                   -(beside * u[r][1 - c].y + above * u[1 - r][c].y) / sum};
      }
    if (out_x >= 0)
      for (int r = 0; r < 2; ++r) u[r][out_x] = beyond(out_x == 0 ? p.left : p.right, true, u[r][1 - out_x]);
    if (out_y >= 0)
      for (int c = 0; c < 2; ++c) u[out_y][c] = beyond(out_y == 0 ? p.bottom : p.top, false, u[1 - out_y][c]);
    const double a = x - low_x, b = y - low_y;
    return {(1 - b) * ((1 - a) * u[0][0].x + a * u[0][1].x) + b * ((1 - a) * u[1][0].x + a * u[1][1].x),
            (1 - b) * ((1 - a) * u[0][0].y + a * u[0][1].y) + b * ((1 - a) * u[1][0].y + a * u[1][1].y)};
  }

  HD static bool is_open(LbmSide side) { return side == LbmSide::inlet || side == LbmSide::outlet; }
  HD bool leaves(Vector at) const {
    return (at.x < -0.5 && is_open(p.left)) || (at.x > p.nx - 0.5 && is_open(p.right)) ||
           (at.y < -0.5 && is_open(p.bottom)) || (at.y > p.whole_ny - 0.5 && is_open(p.top));
  }
  HD static double inside(double x, int n, LbmSide side) {
    const double low = -0.5, high = n - 0.5;
    if (side == LbmSide::periodic) return x < low ? x + n : x >= high ? x - n : x;
    return x < low ? low : x > high ? high : x;
  }
  HD Vector inside(Vector at) const { return {inside(at.x, p.nx, p.left), inside(at.y, p.whole_ny, p.bottom)}; }

  HD void carry(LbmParticle& a, int i) const {
    constexpr double interval = lbm_particle_interval;
    int n = 0;
    while (i >= particles.set[n].end) ++n;
    const LbmParticleSet& set = particles.set[n];
    const Vector ahead = inside(Vector{a.x + interval * a.u, a.y + interval * a.v});
    const Vector there = velocity(ahead.x, ahead.y);
    const Vector moved = {a.x + 0.5 * interval * (a.u + there.x), a.y + 0.5 * interval * (a.v + there.y)};
    if (leaves(moved) || (set.life > 0 && step - a.born >= set.life)) {
      const LbmSeed seed = particles.seed[i];
      a = {seed.x,    seed.y, std::numeric_limits<double>::quiet_NaN(), 0, set.period > 0 ? a.born + set.period : step,
           a.life + 1};
      return;
    }
    const Vector at = inside(moved);
    if (cell[place(cell_at(at.x, p.nx), cell_at(at.y, p.whole_ny))] >= 0) a.x = at.x, a.y = at.y;
    const Vector here = velocity(a.x, a.y);
    a.u = here.x, a.v = here.y;
  }

  HD void operator()(int i, int) const {
    LbmParticle a = particles.from[i];
    const int row = cell_at(a.y, p.whole_ny);
    if (row < first || row >= first + count) return;
    if (a.u == a.u) {
      carry(a, i);
    } else if (a.born <= step) {
      const Vector here = velocity(a.x, a.y);
      a.u = here.x, a.v = here.y;
    }
    particles.to[i] = a;
  }
};

struct Merge {
  LbmParticles particles;
  const LbmParticle* received;
  const int* first;
  int rank, ranks;

  HD void operator()(int i, int) const {
    const int row = cell_at(particles.from[i].y, first[ranks]);
    int owner = 0;
    while (row >= first[owner + 1]) ++owner;
    if (owner != rank)
      particles.to[i] = received[static_cast<std::size_t>(owner) * static_cast<std::size_t>(particles.count) +
                                 static_cast<std::size_t>(i)];
  }
};

struct Place {
  const LbmParticle* particles;
  double since;
  PathPoint* to;

  HD void operator()(int i, int) const {
    const LbmParticle a = particles[i];
    to[i] = a.u == a.u ? PathPoint{static_cast<float>(a.x + since * a.u), static_cast<float>(a.y + since * a.v),
                                   static_cast<std::uint32_t>(a.life)}
                       : PathPoint{0, 0, 0};
  }
};

}  // namespace

template <class Real, class Stored>
void lbm_move(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* state,
              const LbmParticles& particles, int first, int count, std::int64_t step) {
  parallel_for(executor, "move the particles", {particles.count, 1},
               Move<Real, Stored>{p, cells.cell, state, particles, first, count, step});
}

void lbm_merge(const Executor& executor, const LbmParticles& particles, const LbmParticle* received, const int* first,
               int rank, int ranks) {
  parallel_for(executor, "merge the particles", {particles.count, 1}, Merge{particles, received, first, rank, ranks});
}

void lbm_place_particles(const Executor& executor, const LbmParticle* particles, int count, int since, PathPoint* to) {
  parallel_for(executor, "place the particles", {count, 1}, Place{particles, static_cast<double>(since), to});
}

#define SIMREEL_INSTANTIATE(Real, Stored)                                                                              \
  template void lbm_move(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored*, const LbmParticles&, \
                         int, int, std::int64_t);
SIMREEL_INSTANTIATE(float, float)
SIMREEL_INSTANTIATE(double, double)
SIMREEL_INSTANTIATE(float, Half)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
