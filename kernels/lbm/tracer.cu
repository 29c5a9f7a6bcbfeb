#include "kernels/lbm/tracer.h"

#include <cmath>
#include <limits>

#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

HD inline bool in_spot(const TracerParams& t, int x, int y) {
  for (int n = 0; n < t.spots; ++n) {
    const double dx = x - t.spot[n].x, dy = y - t.spot[n].y;
    if (dx * dx + dy * dy <= t.spot[n].radius * t.spot[n].radius) return true;
  }
  return false;
}

template <class Real, class Stored>
struct Velocity {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* state;
  Real *ux, *uy;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    Real q[9];
    lbm_load_cell(p, state, place, q);
    const LbmMacroscopic<Real> at = lbm_macroscopic(p, q);
    const bool solid = cell[place] < 0;
    ux[place] = solid ? Real(0) : at.ux;
    uy[place] = solid ? Real(0) : at.uy;
  }
};

template <class Real>
struct Advance {
  LbmParams<Real> p;
  const std::int8_t* cell;
  TracerParams t;
  Real diffusivity;
  const Real *ux, *uy, *from;
  Real* to;

  // The cell that (x, y) denotes, or the side beyond which it lies.
  struct Place {
    std::size_t place;
    LbmSide side;  // periodic: there is a cell
  };
  HD Place find(int x, int y) const {
    const LbmSide side = x < 0       ? p.left
                         : x >= p.nx ? p.right
                         : y < 0     ? p.bottom
                         : y >= p.ny ? p.top
                                     : LbmSide::periodic;
    if (side != LbmSide::periodic) return {0, side};
    return {lbm_place(p, lbm_fold(x, p.nx), lbm_fold(y, p.ny)), side};
  }

  // The dye at (x, y), or `own` if (x, y) is beyond a wall or an outlet or in a solid cell.
  HD Real dye(int x, int y, Real own) const {
    const Place at = find(x, y);
    if (at.side == LbmSide::inlet) {
      const bool across_x = y < 0 || y >= p.ny;
      const int along = across_x ? x : y, cells = across_x ? p.nx : p.ny;
      if (t.stripes == 0) return Real(0);
      return (2 * std::int64_t{along} + 1) * t.stripes / cells % 2 == 0 ? Real(1) : Real(0);
    }
    if (at.side != LbmSide::periodic || cell[at.place] < 0) return own;
    return from[at.place];
  }

  HD static Real slope(Real a, Real b) { return a * b > 0 ? Real(2) * a * b / (a + b) : Real(0); }

  // Flux through one face of a cell: outward velocity times the difference from the cell's own dye, so that a constant
  // field stays constant although the divergence of the velocity is only nearly 0; and the difference for diffusion.
  struct Flux {
    Real advected, gradient;
  };
  HD Flux face(int x, int y, int dx, int dy, Real own) const {
    const Place next = find(x + dx, y + dy);
    const bool beyond = next.side != LbmSide::periodic;
    const bool closed = beyond ? next.side == LbmSide::wall || next.side == LbmSide::moving : cell[next.place] < 0;
    if (closed) return {Real(0), Real(0)};
    const std::size_t here = lbm_place(p, x, y);
    const Real* const u = dx != 0 ? ux : uy;
    const Real outward = Real(dx + dy) * (beyond ? u[here] : Real(0.5) * (u[here] + u[next.place]));
    const Real there = dye(x + dx, y + dy, own);
    Real value;
    if (outward > 0) {
      value = own + Real(0.5) * (Real(1) - outward) * slope(own - dye(x - dx, y - dy, own), there - own);
    } else {
      const Real further = beyond ? there : dye(x + 2 * dx, y + 2 * dy, there);
      value = there + Real(0.5) * (Real(1) + outward) * slope(there - further, own - there);
    }
    return {outward * (value - own), there - own};
  }

  // The same for a face with two fluid cells on either side, `step` values apart: no tests, which makes most cells
  // fast.
  HD Real open_face(const Real* u, std::size_t place, std::ptrdiff_t step, Real direction, Real own) const {
    const Real* const c = from + place;
    const Real outward = direction * (Real(0.5) * (u[place] + *(u + place + step)));
    const Real there = c[step];
    const bool leaves = outward > 0;
    const Real centre = leaves ? own : there, behind = leaves ? c[-step] : c[2 * step], before = leaves ? there : own;
    const Real reach = leaves ? Real(1) - outward : Real(1) + outward;
    const Real value = centre + Real(0.5) * reach * slope(centre - behind, before - centre);
    return outward * (value - own);
  }

  HD bool is_open(int x, int y, std::size_t place) const {
    if (x < 2 || y < 2 || x >= p.nx - 2 || y >= p.ny - 2) return false;
    const std::int8_t* const here = cell + place;
    return (here[0] | here[-1] | here[1] | *(here - p.pitch) | *(here + p.pitch)) == lbm_plain;
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] < 0) {
      to[place] = Real(0);
      return;
    }
    const Real own = from[place];
    if (is_open(x, y, place)) {
      const auto row = static_cast<std::ptrdiff_t>(p.pitch);
      const Real* const c = from + place;
      const Real east = open_face(ux, place, 1, Real(1), own), west = open_face(ux, place, -1, Real(-1), own);
      const Real north = open_face(uy, place, row, Real(1), own), south = open_face(uy, place, -row, Real(-1), own);
      const Real spread = ((c[1] - own) + (c[-1] - own)) + ((c[row] - own) + (c[-row] - own));
      store(x, y, place, own, (east + west) + (north + south), spread);
      return;
    }
    const Flux east = face(x, y, 1, 0, own), west = face(x, y, -1, 0, own);
    const Flux north = face(x, y, 0, 1, own), south = face(x, y, 0, -1, own);
    const Real advected = (east.advected + west.advected) + (north.advected + south.advected);
    const Real spread = (east.gradient + west.gradient) + (north.gradient + south.gradient);
    store(x, y, place, own, advected, spread);
  }

  HD void store(int x, int y, std::size_t place, Real own, Real advected, Real spread) const {
    Real value = own - advected + diffusivity * spread;
    value = value < 0 ? Real(0) : value > 1 ? Real(1) : value;
    to[place] = in_spot(t, x, y) ? Real(1) : value;
  }
};

template <class Real>
struct Show {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Real* from;
  Real* to;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    to[place] = cell[place] < 0 ? std::numeric_limits<Real>::quiet_NaN() : from[place];
  }
};

template <class Real>
struct StartDye {
  LbmParams<Real> p;
  const std::int8_t* cell;
  TracerParams t;
  int bands;
  Real* tracer;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const bool band = bands > 0 && static_cast<std::int64_t>(2 * y + 1) * bands / p.ny % 2 == 0;
    tracer[place] = cell[place] >= 0 && (band || in_spot(t, x, y)) ? Real(1) : Real(0);
  }
};

}  // namespace

template <class Real, class Stored>
void tracer_velocity(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* state,
                     Real* ux, Real* uy) {
  parallel_for(executor, "tracer_velocity", {p.nx, p.ny}, Velocity<Real, Stored>{p, cells.cell, state, ux, uy});
}

template <class Real>
void tracer_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const TracerParams& t,
                 const Real* ux, const Real* uy, const Real* from, Real* to) {
  parallel_for(executor, "tracer_step", {p.nx, p.ny},
               Advance<Real>{p, cells.cell, t, static_cast<Real>(t.diffusivity), ux, uy, from, to});
}

template <class Real>
void tracer_show(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Real* from,
                 Real* to) {
  parallel_for(executor, "tracer_show", {p.nx, p.ny}, Show<Real>{p, cells.cell, from, to});
}

template <class Real>
void tracer_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const TracerParams& t,
                  int bands, Real* tracer) {
  parallel_for(executor, "tracer_start", {p.nx, p.ny}, StartDye<Real>{p, cells.cell, t, bands, tracer});
}

template void tracer_velocity(const Executor&, const LbmParams<float>&, const LbmCells&, const float*, float*, float*);
template void tracer_velocity(const Executor&, const LbmParams<float>&, const LbmCells&, const Half*, float*, float*);
template void tracer_velocity(const Executor&, const LbmParams<double>&, const LbmCells&, const double*, double*,
                              double*);
#define SIMREEL_INSTANTIATE(Real)                                                                          \
  template void tracer_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, \
                            const Real*, const Real*, const Real*, Real*);                                 \
  template void tracer_show(const Executor&, const LbmParams<Real>&, const LbmCells&, const Real*, Real*); \
  template void tracer_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, int, Real*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
