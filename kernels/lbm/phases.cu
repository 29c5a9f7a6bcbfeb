#include "kernels/lbm/phases.h"

#include <cmath>
#include <limits>

#include "kernels/base/math.h"
#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

constexpr int c_plane = 9, ux_plane = 10, uy_plane = 11;

template <class Real>
HD Real within(Real c) {
  return c < 0 ? Real(0) : c > 1 ? Real(1) : c;
}
template <class Real>
HD Real density_at(const LbmPhases<Real>& f, Real c) {
  return f.gas + within(c) * (Real(1) - f.gas);
}

// c of a cell and of its eight neighbours.
template <class Real>
struct Around {
  Real here, east, west, north, south, ne, sw, se, nw;
};

template <class Real>
struct Phase {
  const LbmParams<Real>& p;
  const LbmPhases<Real>& f;
  const Real* c;  // the plane

  HD Around<Real> inside(int x, int y) const {
    const Real* const at = c + lbm_place(p, x, y);
    const auto pitch = static_cast<std::ptrdiff_t>(p.pitch);
    return {at[0], at[1], at[-1], at[pitch], at[-pitch], at[pitch + 1], at[-pitch - 1], at[-pitch + 1], at[pitch - 1]};
  }
  HD Around<Real> at_side(int x, int y) const {
    return {at(x, y),         at(x + 1, y),     at(x - 1, y),     at(x, y + 1),    at(x, y - 1),
            at(x + 1, y + 1), at(x - 1, y - 1), at(x + 1, y - 1), at(x - 1, y + 1)};
  }
  HD Around<Real> all(int x, int y) const {
    const bool inner = x > 0 && y > 0 && x < p.nx - 1 && y < p.ny - 1;
    return inner ? inside(x, y) : at_side(x, y);
  }

  HD static bool is_wall(LbmSide side) { return side == LbmSide::wall || side == LbmSide::moving; }
  // Beyond a side that is not periodic: what the outermost cell has, and beyond a wall what the angle of contact asks.
  HD Real at(int x, int y) const {
    const LbmSide side_x = x < 0 ? p.left : x >= p.nx ? p.right : LbmSide::periodic;
    const LbmSide side_y = y < 0 ? p.bottom : y >= p.ny ? p.top : LbmSide::periodic;
    const int from_x = side_x == LbmSide::periodic ? lbm_fold(x, p.nx) : x < 0 ? 0 : p.nx - 1;
    const int from_y = side_y == LbmSide::periodic ? lbm_fold(y, p.ny) : y < 0 ? 0 : p.ny - 1;
    const Real own = c[lbm_place(p, from_x, from_y)];
    return is_wall(side_x) || is_wall(side_y) ? beyond(own) : own;
  }

 private:
  // A plane interface at the angle of contact is as far from the cell as from its mirror image but for cos(angle).
  HD Real beyond(Real own) const {
    return own * (Real(1) + f.wetting) / ((Real(1) - f.wetting) + Real(2) * (f.wetting * within(own)));
  }
};

// The first launch: c after the step, with the velocity before it.
template <class Real>
struct PhaseStep {
  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* from;
  Real* to;

  struct Normal {
    Real x, y;
  };

  // The difference of the distances of two cells from the interface, over W / 2: atanh (Pade).
  HD static Real distance(Real a, Real b) {
    constexpr Real steepest = Real(0.9), tiny = Real(1e-30);
    const Real r = (b - a) / (((a + b) - Real(2) * (a * b)) + tiny);
    const Real t = r > steepest ? steepest : r < -steepest ? -steepest : r;
    const Real s = t * t;
    return t * std::fma(s, std::fma(s, Real(64), Real(-735)), Real(945)) /
           std::fma(s, std::fma(s, Real(225), Real(-1050)), Real(945));
  }
  HD static Real tanh_near_zero(Real x) {
    const Real s = x * x;
    return x * (Real(15) + s) / std::fma(Real(6), s, Real(15));  // Pade; 1e-4 off at 1
  }

  // The normal of a cell, from the cells beside it; (0, 0) where no interface is near. Differences over two cells do
  // not see what alternates from cell to cell, which diffusion then takes away.
  HD Normal normal(Real here, Real west, Real east, Real south, Real north) const {
    constexpr Real half = Real(0.5), tiny = Real(1e-30);
    const Real x = half * (east - west), y = half * (north - south);
    const Real near = f.half_turn * (here * (Real(1) - here));
    if (x * x + y * y <= near * near) return {Real(0), Real(0)};
    const Real along_x = distance(west, east), along_y = distance(south, north);
    const Real inverse = Real(1) / (std::sqrt(along_x * along_x + along_y * along_y) + tiny);
    return {along_x * inverse, along_y * inverse};
  }

  // What c gains over a link to b, over 6 w M; `turn` is the sum of both normals along the link. Exchanging the ends
  // reverses the sign, to the bit.
  HD Real spread(Real a, Real b, Real turn) const {
    return (b - a) - tanh_near_zero(Real(0.5) * f.half_turn * turn) * ((a + b) - Real(2) * (a * b));
  }
  // What the flow carries through a face; u is twice the mean of the velocity along the link.
  HD static Real carried(Real u, Real a, Real b) { return Real(0.25) * (u * (a + b)); }

  HD void interior(int x, int y) const {
    if (x < 2 || y < 2 || x >= p.nx - 2 || y >= p.ny - 2) return (*this)(x, y);
    const std::size_t place = lbm_place(p, x, y);
    const Real *const ux = from + ux_plane * p.plane + place, *const uy = from + uy_plane * p.plane + place;
    const Real* const c = from + c_plane * p.plane + place;
    const auto pitch = static_cast<std::ptrdiff_t>(p.pitch);
    const bool open[4] = {true, true, true, true};
    finish(
        place, [=](int dx, int dy) { return c[dy * pitch + dx]; }, open, ux[0] + ux[-1], ux[0] + ux[1],
        uy[0] + uy[-pitch], uy[0] + uy[pitch]);
  }
  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const Real *const ux = from + ux_plane * p.plane, *const uy = from + uy_plane * p.plane;
    const Phase<Real> c{p, f, from + c_plane * p.plane};
    const bool open[4] = {x > 0 || p.left == LbmSide::periodic, x < p.nx - 1 || p.right == LbmSide::periodic,
                          y > 0 || p.bottom == LbmSide::periodic, y < p.ny - 1 || p.top == LbmSide::periodic};
    const auto next = [&](const Real* u, int i, int to_x, int to_y) {
      return u[place] + (open[i] ? u[lbm_place(p, lbm_fold(to_x, p.nx), lbm_fold(to_y, p.ny))] : u[place]);
    };
    finish(
        place, [&](int dx, int dy) { return c.at(x + dx, y + dy); }, open, next(ux, 0, x - 1, y), next(ux, 1, x + 1, y),
        next(uy, 2, x, y - 1), next(uy, 3, x, y + 1));
  }

  // `c` gives that of the cell so many columns and rows further.
  template <class Cells>
  HD void finish(std::size_t place, const Cells& c, const bool (&open)[4], Real u_west, Real u_east, Real u_south,
                 Real u_north) const {
    constexpr Real none = Real(0), on_axes = Real(2) / Real(3), on_diagonals = Real(1) / Real(6);
    const Real here = c(0, 0), ce = c(1, 0), cw = c(-1, 0), cn = c(0, 1), cs = c(0, -1);
    const Real cne = c(1, 1), csw = c(-1, -1), cse = c(1, -1), cnw = c(-1, 1);
    const Normal own = normal(here, cw, ce, cs, cn);
    const Normal e = normal(ce, here, c(2, 0), cse, cne), w = normal(cw, c(-2, 0), here, csw, cnw);
    const Normal n = normal(cn, cnw, cne, here, c(0, 2)), s = normal(cs, csw, cse, c(0, -2), here);
    const Normal ne = normal(cne, cn, c(2, 1), ce, c(1, 2)), sw = normal(csw, c(-2, -1), cs, c(-1, -2), cw);
    const Normal se = normal(cse, cs, c(2, -1), c(1, -2), ce), nw = normal(cnw, c(-2, 1), cn, cw, c(-1, 2));
    const Real to_e = open[1] ? spread(here, ce, own.x + e.x) : none;
    const Real to_w = open[0] ? spread(here, cw, -(own.x + w.x)) : none;
    const Real to_n = open[3] ? spread(here, cn, own.y + n.y) : none;
    const Real to_s = open[2] ? spread(here, cs, -(own.y + s.y)) : none;
    const Real to_ne = open[1] && open[3] ? spread(here, cne, (own.x + ne.x) + (own.y + ne.y)) : none;
    const Real to_sw = open[0] && open[2] ? spread(here, csw, -((own.x + sw.x) + (own.y + sw.y))) : none;
    const Real to_se = open[1] && open[2] ? spread(here, cse, (own.x + se.x) - (own.y + se.y)) : none;
    const Real to_nw = open[0] && open[3] ? spread(here, cnw, (own.y + nw.y) - (own.x + nw.x)) : none;
    const Real flow_x = (open[1] ? carried(u_east, here, ce) : none) - (open[0] ? carried(u_west, here, cw) : none);
    const Real flow_y = (open[3] ? carried(u_north, here, cn) : none) - (open[2] ? carried(u_south, here, cs) : none);
    const Real gained = on_axes * ((to_e + to_w) + (to_n + to_s)) + on_diagonals * ((to_ne + to_sw) + (to_se + to_nw));
    const Real value = here + (f.mobility * gained - (flow_x + flow_y));
    // Far from the liquid c falls off to what a CPU computes slowly.
    constexpr Real least = sizeof(Real) == 4 ? Real(1e-15) : Real(1e-30);
    to[c_plane * p.plane + place] = value < least && value > -least ? none : value;
  }
};

// The second launch: the populations, and the velocity.
template <class Real>
struct FlowStep {
  LbmParams<Real> p;
  LbmPhases<Real> f;
  LbmCells cells;
  const Real* from;
  Real* to;

  HD void interior(int x, int y) const {
    Real q[9];
    lbm_pull_plain(p, from, lbm_place(p, x, y), q);
    finish(lbm_place(p, x, y), Phase<Real>{p, f, to + c_plane * p.plane}.inside(x, y), q);
  }
  HD void operator()(int x, int y) const {
    Real q[9];
    LbmPull<Real, LbmPlanes<Real, Real>>{p, cells, {p, from}, x, y}.all(q);
    finish(lbm_place(p, x, y), Phase<Real>{p, f, to + c_plane * p.plane}.all(x, y), q);
  }

  // As lbm_collide_central, of populations whose first moment is u itself; no operation mixes x and y but where
  // exchanging them gives the same.
  HD void finish(std::size_t place, const Around<Real>& c, Real (&q)[9]) const {
    constexpr Real third = Real(1) / Real(3), sixth = Real(1) / Real(6), ninth = Real(1) / Real(9), half = Real(0.5),
                   quarter = Real(0.25), twelfth = Real(1) / Real(12);
    const Real up = c.ne - c.sw, down = c.se - c.nw;
    const Real slope_x = third * (c.east - c.west) + twelfth * (up + down);
    const Real slope_y = third * (c.north - c.south) + twelfth * (up - down);
    const Real bend = sixth * ((Real(4) * ((c.east + c.west) + (c.north + c.south)) + ((c.ne + c.sw) + (c.se + c.nw))) -
                               Real(20) * c.here);
    const Real share = within(c.here), rho = f.gas + share * (Real(1) - f.gas), inverse = Real(1) / rho;
    const Real s = Real(2) * c.here - Real(1), square = s * s;
    const Real from_plane = f.well * s * (Real(1) - square) / (Real(1) - f.well * (square < 1 ? square : Real(1)));
    const Real potential = -f.kappa * (from_plane + bend) * inverse;
    // grad rho / rho
    const Real steep = (Real(1) - f.gas) * inverse, heavier_x = steep * slope_x, heavier_y = steep * slope_y;
    // For the stress divided by the mean density of both faces, which makes that of a shear flow continuous.
    const Real mean = rho + quarter * (Real(1) - f.gas) * bend,
               smear = (Real(1) - f.gas) / (mean > f.gas ? mean : f.gas);
    const Real denser_x = smear * slope_x, denser_y = smear * slope_y;

    const Real s1 = q[1] + q[2], s2 = q[3] + q[4], s3 = q[5] + q[6], s4 = q[7] + q[8];
    const Real d1 = q[1] - q[2], d2 = q[3] - q[4], d3 = q[5] - q[6], d4 = q[7] - q[8];
    const Real pressure = q[0] + ((s1 + s2) + (s3 + s4));  // 3 p / rho
    const Real jx = d1 + (d3 + d4), jy = d2 + (d3 - d4);
    const LbmPush<Real> push = lbm_push_at(p, place, 1);
    const Real weight = Real(1) - f.still * inverse, pressed = third * pressure;
    Real gx = (potential * slope_x - pressed * heavier_x) + (push.x + weight * f.gravity_x);
    Real gy = (potential * slope_y - pressed * heavier_y) + (push.y + weight * f.gravity_y);

    const Real nu = (f.gas_friction + share * f.more_friction) * inverse;
    const Real omega = Real(1) / (Real(3) * nu + half);
    // The stress follows from the velocity, and part of the force from the stress: with the velocity without that part.
    {
      const Real u = jx + half * gx, v = jy + half * gy;
      const Real normal = ((s1 - s2) - (u * u - v * v)) + (u * gx - v * gy);
      const Real shear = ((s3 - s4) - u * v) + half * (u * gy + v * gx);
      const Real stays = Real(1) - half * omega, along = stays * (half * normal), aslant = stays * shear;
      gx = gx - (along * denser_x + aslant * denser_y);
      gy = gy - (aslant * denser_x - along * denser_y);
    }
    const Real ux = jx + half * gx, uy = jy + half * gy, u = lbm_limited(ux), v = lbm_limited(uy);
    const Real uu = u * u, vv = v * v, uv = u * v;
    const Real work_x = u * gx, work_y = v * gy, cross = half * (u * gy + v * gx);
    const Real normal = ((s1 - s2) - (uu - vv)) + (work_x - work_y), shear = ((s3 - s4) - uv) + cross;
    const Real keep = Real(1) - omega, n = half * (keep * normal), sheared = keep * shear, twice = Real(2) * sheared;

    const Real a20 = (third + uu) + n, a02 = (third + vv) - n;  // without the pressure
    const Real m10 = (jx + gx) + (u - ux), m01 = (jy + gy) + (v - uy);
    const Real m20 = (third * pressure + uu) + (n + work_x), m02 = (third * pressure + vv) + (work_y - n);
    const Real m11 = (sheared + uv) + cross;
    const Real m21 = (v * a20 + u * twice) + (gy * (half * uu + sixth) + uv * gx);
    const Real m12 = (u * a02 + v * twice) + (gx * (half * vv + sixth) + uv * gy);
    const Real m22 = ((uu * a02 + vv * a20) + (uv * (Real(2) * twice - uv) + ninth * pressure)) +
                     (work_x * (vv + third) + work_y * (uu + third));

    q[0] = (pressure - (m20 + m02)) + m22;
    const Real t1 = half * (m20 - m22), t2 = half * (m02 - m22);
    const Real t3 = quarter * (m22 + m11), t4 = quarter * (m22 - m11);
    const Real o1 = half * (m10 - m12), o2 = half * (m01 - m21);
    const Real o3 = quarter * (m12 + m21), o4 = quarter * (m12 - m21);
    q[1] = t1 + o1;
    q[2] = t1 - o1;
    q[3] = t2 + o2;
    q[4] = t2 - o2;
    q[5] = t3 + o3;
    q[6] = t3 - o3;
    q[7] = t4 + o4;
    q[8] = t4 - o4;
    lbm_store_cell(p, to, place, q);
    to[ux_plane * p.plane + place] = u;
    to[uy_plane * p.plane + place] = v;
  }
};

template <class Real>
struct StartPhases {
  LbmParams<Real> p;
  LbmPhasesGiven given;
  Real* state;

  HD void operator()(int x, int row) const {
    const std::size_t place = lbm_place(p, x, given.y + row);
    const std::size_t n = static_cast<std::size_t>(row) * static_cast<std::size_t>(p.nx) + static_cast<std::size_t>(x);
    const double u = given.ux[n], v = given.uy[n];
    for (int i = 0; i < 9; ++i) {
      const int ex = (i == 1 || i == 5 || i == 7) - (i == 2 || i == 6 || i == 8);
      const int ey = (i == 3 || i == 5 || i == 8) - (i == 4 || i == 6 || i == 7);
      const double w = i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36, along = ex * u + ey * v;
      state[static_cast<std::size_t>(i) * p.plane + place] =
          static_cast<Real>(w * (3 * along + 4.5 * along * along - 1.5 * (u * u + v * v)));
    }
    state[c_plane * p.plane + place] = static_cast<Real>(given.phase[n]);
    state[ux_plane * p.plane + place] = static_cast<Real>(u);
    state[uy_plane * p.plane + place] = static_cast<Real>(v);
  }
};

template <class Real>
struct PhaseField {
  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* state;
  LbmField field;
  Real* out;

  struct Velocity {
    Real x, y;
  };
  // Beyond a wall that which makes the wall's own velocity in the middle; a slip side mirrors.
  HD Velocity at(int x, int y, int dx, int dy) const {
    const LbmSide side = x + dx < 0       ? p.left
                         : x + dx >= p.nx ? p.right
                         : y + dy < 0     ? p.bottom
                         : y + dy >= p.ny ? p.top
                                          : LbmSide::periodic;
    const bool beyond = side != LbmSide::periodic;
    const std::size_t place =
        beyond ? lbm_place(p, x, y) : lbm_place(p, lbm_fold(x + dx, p.nx), lbm_fold(y + dy, p.ny));
    const Real ux = state[ux_plane * p.plane + place], uy = state[uy_plane * p.plane + place];
    if (!beyond) return {ux, uy};
    if (side == LbmSide::slip) return {dx != 0 ? -ux : ux, dy != 0 ? -uy : uy};
    const Real wall = side == LbmSide::moving ? Real(2) * p.velocity *
                                                    p.slide[dx < 0   ? 0
                                                            : dx > 0 ? 1
                                                            : dy < 0 ? 2
                                                                     : 3]
                                              : Real(0);
    return {dx != 0 ? -ux : wall - ux, dx != 0 ? wall - uy : -uy};
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const Real ux = state[ux_plane * p.plane + place], uy = state[uy_plane * p.plane + place];
    const Real c = state[c_plane * p.plane + place];
    Real value = c;
    switch (field) {
      case LbmField::speed: value = std::sqrt(ux * ux + uy * uy); break;
      case LbmField::ux: value = ux; break;
      case LbmField::uy: value = uy; break;
      case LbmField::density: value = density_at(f, c); break;
      case LbmField::vorticity:
        value = Real(0.5) * ((at(x, y, 1, 0).y - at(x, y, -1, 0).y) - (at(x, y, 0, 1).x - at(x, y, 0, -1).x));
        break;
      case LbmField::phase:
      case LbmField::tracer:
      case LbmField::temperature: break;
    }
    out[place] = value;
  }
};

template <class Real>
struct PhaseSums {
  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* state;

  using Value = LbmSums;
  HD static Value empty() { return {}; }
  HD static Value combine(const Value& a, const Value& b) {
    return {a.cells + b.cells,     a.mass + b.mass,
            a.ux + b.ux,           a.uy + b.uy,
            a.kinetic + b.kinetic, b.max_speed_square > a.max_speed_square ? b.max_speed_square : a.max_speed_square,
            a.limited + b.limited};
  }
  HD Value operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const Real c = state[c_plane * p.plane + place];
    const double ux = static_cast<double>(state[ux_plane * p.plane + place]),
                 uy = static_cast<double>(state[uy_plane * p.plane + place]);
    const double square = ux * ux + uy * uy;
    const double comparable = square == square ? square : std::numeric_limits<double>::infinity();
    const double fastest = std::fabs(ux) > std::fabs(uy) ? std::fabs(ux) : std::fabs(uy);
    return {1,
            static_cast<double>(c),
            ux,
            uy,
            0.5 * static_cast<double>(density_at(f, c)) * square,
            comparable,
            fastest > 0.999 * lbm_speed_limit ? 1.0 : 0.0};
  }
};

}  // namespace

template <class Real>
LbmPhases<Real> lbm_phases_of(const LbmFluids& fluids) {
  LbmPhases<Real> f;
  const double gas = 1 / fluids.density_ratio, growth = exact::exp(4 / fluids.width);
  const double tanh = (growth - 1) / (growth + 1);  // of 2 / W
  // The tension of a plane interface of the grid is kappa times the integral of the square of its central difference.
  double tension = 0;
  constexpr double step = 0.125;
  for (double d = -8 * fluids.width; d <= 8 * fluids.width; d += step) {
    const double grown = exact::exp(4 * d / fluids.width), t = (grown - 1) / (grown + 1);
    const double slope = 0.5 * tanh * (1 - t * t) / (1 - t * t * tanh * tanh);
    tension += step * slope * slope;
  }
  f.gas = static_cast<Real>(gas);
  f.gas_friction = static_cast<Real>(gas * fluids.gas_viscosity);
  f.more_friction = static_cast<Real>(fluids.liquid_viscosity - gas * fluids.gas_viscosity);
  f.kappa = static_cast<Real>(fluids.surface_tension / tension);
  f.well = static_cast<Real>(tanh * tanh);
  f.half_turn = static_cast<Real>(2 / fluids.width);
  f.mobility = static_cast<Real>(fluids.mobility);
  const double wetted = exact::exp(4 / fluids.width * exact::sinpi(0.5 - fluids.angle / 180));
  f.wetting = static_cast<Real>((wetted - 1) / (wetted + 1));
  f.gravity_x = static_cast<Real>(fluids.gravity[0]);
  f.gravity_y = static_cast<Real>(fluids.gravity[1]);
  f.still = static_cast<Real>(fluids.still);
  return f;
}

template <class Real>
void lbm_phases_step(const Executor& executor, const LbmParams<Real>& p, const LbmPhases<Real>& f,
                     const LbmCells& cells, const Real* from, Real* to) {
  parallel_for(executor, "lbm_phase", {p.nx, p.ny}, PhaseStep<Real>{p, f, from, to});
  parallel_for(executor, "lbm_phases_flow", {p.nx, p.ny}, FlowStep<Real>{p, f, cells, from, to});
}

template <class Real>
void lbm_phases_start(const Executor& executor, const LbmParams<Real>& p, const LbmPhasesGiven& given, Real* state) {
  parallel_for(executor, "lbm_phases_start", {p.nx, given.rows}, StartPhases<Real>{p, given, state});
}

template <class Real>
void lbm_phases_field(const Executor& executor, const LbmParams<Real>& p, const LbmPhases<Real>& f, const Real* state,
                      LbmField field, Real* out) {
  parallel_for(executor, "lbm_phases_field", {p.nx, p.ny}, PhaseField<Real>{p, f, state, field, out});
}

template <class Real>
LbmSums lbm_phases_sums(const Executor& executor, const LbmParams<Real>& p, const LbmPhases<Real>& f,
                        const OwnRows& rows, const Real* state, void* scratch) {
  return reduce(executor, "lbm_phases_sums", p.nx, rows, PhaseSums<Real>{p, f, state}, scratch);
}

#define SIMREEL_INSTANTIATE(Real)                                                                                   \
  template LbmPhases<Real> lbm_phases_of(const LbmFluids&);                                                         \
  template void lbm_phases_step(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const LbmCells&,   \
                                const Real*, Real*);                                                                \
  template void lbm_phases_start(const Executor&, const LbmParams<Real>&, const LbmPhasesGiven&, Real*);            \
  template void lbm_phases_field(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const Real*,      \
                                 LbmField, Real*);                                                                  \
  template LbmSums lbm_phases_sums(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const OwnRows&, \
                                   const Real*, void*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
