#pragma once
// The damped wave equation  u_tt + k u_t = c^2 (u_xx + u_yy)  by central differences on a grid (leapfrog, 5 points):
//
//   u+ = (2 - k dt) u - (1 - k dt) u- + (c dt / dx)^2 (u_W + u_E + u_S + u_N - 4 u)
//
// The state is the height u and its last increment d = u - u-, which is the same scheme,
//
//   d+ = d - k dt d + (c dt / dx)^2 (u_W + u_E + u_S + u_N - 4 u),    u+ = u + d+,
//
// but rounds increments instead of differences of heights: in float its error grows like the square root of the number
// of steps instead of its 3/2 power.

#include <cstddef>
#include <cstdint>

#include "exec/executor.h"
#include "kernels/base/reduce.h"
#include "kernels/base/share.h"
#include "kernels/base/view.h"
#include "kernels/wave/boundary.h"

namespace simreel {

// Coefficients of a cell, indexed by the number m of its absorbing sides: 0 inside, 1 at an edge, 2 in a corner. A grid
// one cell wide has no sides along that axis: it is a line that absorbs at its ends. Eliminating the ghost cells gives
//   (1 + m lambda) d+ = (1 - k dt - m lambda) d + lambda^2 L,   lambda = c dt / dx,
// where L is the stencil of the field mirrored about the outermost cell.
//
// A rank's part of a grid (exec/domain.h) is advanced as a grid of its own; only what depends on where a row lies asks
// for the whole one, and tiles of a GPU leave out rows at open ends.
template <class Real>
struct WaveParams {
  int nx = 0, ny = 0;     // cells, each at least 1 and at most 2^24
  std::size_t pitch = 0;  // values from one row to the next
  WaveBoundary boundary = WaveBoundary::fixed;
  Real friction[3] = {};                        // (k dt + 2 m lambda) / (1 + m lambda)
  Real coupling[3] = {};                        // lambda^2 / (1 + m lambda)
  int y0 = 0;                                   // row of the whole grid at row 0; below 0 where the halo wraps around
  int whole_ny = 0;                             // rows of the whole grid
  bool open_below = false, open_above = false;  // the grid goes on beyond row 0, and beyond row ny - 1
};

// Of a whole grid. `lambda` is c dt / dx and `friction` k dt; the scheme is stable for 4 lambda^2 <= 2 - friction.
template <class Real>
WaveParams<Real> wave_params(int nx, int ny, WaveBoundary, double lambda, double friction);

// Of a rank's part of that grid.
template <class Real>
WaveParams<Real> wave_part_of(WaveParams<Real> whole, const Domain& domain) {
  whole.ny = domain.rows();
  whole.y0 = domain.start();
  whole.open_below = domain.open_below();
  whole.open_above = domain.open_above();
  return whole;
}

template <class Real>
struct WaveState {
  Real* u = nullptr;  // height, u[y * pitch + x]
  Real* d = nullptr;  // increment of the last step, same layout
};

// Advances one step; the two states must not overlap.
template <class Real>
void wave_step(const Executor&, const WaveParams<Real>&, WaveState<const Real> from, WaveState<Real> to);

// Advances 1 to wave_max_pass() steps in one pass over memory, with the same bits as that many calls of wave_step, but
// for the last `steps` rows before an open end, which a GPU may leave as they were in `to`; a part has more rows than
// these. The states must not overlap. `scratch` is host memory of wave_scratch_values values, used on the CPU only,
// where the share is `all`. All rows but the own ones are halo.
template <class Real>
void wave_pass(const Executor&, const WaveParams<Real>&, const OwnRows& own, Share, int steps,
               WaveState<const Real> from, WaveState<Real> to, Real* scratch);
int wave_max_pass();
std::size_t wave_scratch_values(const Executor&);  // 0 on a GPU

// How a droplet starts.
enum class WaveStart {
  rest,  // the pulse is added to both time levels: u changes and d stays, so the pulse adds no velocity
  kick,  // the pulse is added to the new time level only: u and d change, so the surface gets the velocity pulse / dt
};

// Adds the pulse -amplitude exp(-((x - center_x)^2 + (y - center_y)^2) / radius^2) to cells with |x - center_x| and
// |y - center_y| at most 2 radius. On a periodic grid it wraps around.
struct WaveDroplet {
  double center_x = 0, center_y = 0;  // cells; a whole number is a cell's centre
  double radius = 3;                  // cells, > 0
  double amplitude = 0.07;
  WaveStart start = WaveStart::rest;
};
// Factors of what is added to a column and to a row, in executor memory; null: 1.
template <class Real>
struct WaveWeights {
  const Real* column = nullptr;
  const Real* row = nullptr;
};
template <class Real>
void wave_droplet(const Executor&, const WaveParams<Real>&, const WaveDroplet&, WaveState<Real>,
                  const WaveWeights<Real>& = {});

// u = amplitude sin(m pi (x + 1) / (nx + 1)) sin(n pi (y + 1) / (ny + 1)), an eigenmode of the fixed grid, and the d of
// a surface at rest to second order: half an acceleration.
template <class Real>
void wave_mode(const Executor&, const WaveParams<Real>&, int m, int n, double amplitude, WaveState<Real>);

// u random, uniform in [-amplitude, amplitude), from the seed and the cell's index; d = 0.
template <class Real>
void wave_noise(const Executor&, const WaveParams<Real>&, std::uint64_t seed, double amplitude, WaveState<Real>);

// velocity = d / timestep, in the layout of the state, whose padding is computed too. Both are aligned to 16 bytes.
template <class Real>
void wave_velocity(const Executor&, const WaveParams<Real>&, const Real* d, double timestep, Real* velocity);

// The energy that the scheme conserves (up to rounding) if k = 0 and the sides are fixed, free or periodic, for unit
// surface density:
//   sum over cells  dx^2 (d / dt)^2 / 2  +  c^2 / 2 sum over links  (u_1 - u_0) (u-_1 - u-_0).
// The same bits on every backend. Waits. `scratch` is executor memory of wave_reduce_bytes. Of a part with a halo,
// which must be valid for one row.
template <class Real>
double wave_energy(const Executor&, const WaveParams<Real>&, const OwnRows&, WaveState<const Real>, double speed,
                   double spacing, double timestep, void* scratch);
// The largest |u|; infinity if any u is NaN. Waits.
template <class Real>
double wave_max_abs(const Executor&, const WaveParams<Real>&, const OwnRows&, const Real* u, void* scratch);
template <class Real>
std::size_t wave_reduce_bytes(const WaveParams<Real>&);

}  // namespace simreel
