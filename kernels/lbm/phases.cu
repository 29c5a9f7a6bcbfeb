#include "kernels/lbm/phases.h"

#include <cmath>
#include <limits>

#include "kernels/base/math.h"
#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

constexpr int normal_x_plane = 0, normal_y_plane = 1, c_plane = 9, ux_plane = 10, uy_plane = 11;

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

// The first launch: the normals of the interface, (0, 0) where none is near. They lie in the planes of two populations,
// which the third launch overwrites.
template <class Real>
struct PhaseNormals {
  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* from;
  Real* to;

  // The difference of the distances of two cells from the interface, over W / 2: atanh (Pade).
  HD static Real distance(Real a, Real b) {
    constexpr Real steepest = Real(0.9), tiny = Real(1e-30);
    const Real r = (b - a) / (((a + b) - Real(2) * (a * b)) + tiny);
    const Real t = r > steepest ? steepest : r < -steepest ? -steepest : r;
    const Real s = t * t;
    return t * std::fma(s, std::fma(s, Real(64), Real(-735)), Real(945)) /
           std::fma(s, std::fma(s, Real(225), Real(-1050)), Real(945));
  }

  // Differences over two cells do not see what alternates from cell to cell, which diffusion then takes away.
  HD void set(std::size_t place, Real here, Real west, Real east, Real south, Real north) const {
    constexpr Real half = Real(0.5), tiny = Real(1e-30);
    const Real x = half * (east - west), y = half * (north - south);
    const Real mixed = here * (Real(1) - here);
    const Real near = (mixed < Real(0.02) ? Real(1) : Real(0.4)) * f.half_turn * mixed;
    Real along_x = 0, along_y = 0;
    if (x * x + y * y > near * near) {
      along_x = distance(west, east), along_y = distance(south, north);
      const Real inverse = Real(1) / (std::sqrt(along_x * along_x + along_y * along_y) + tiny);
      along_x = along_x * inverse, along_y = along_y * inverse;
    }
    to[normal_x_plane * p.plane + place] = along_x;
    to[normal_y_plane * p.plane + place] = along_y;
  }

  HD void interior(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const Real* const c = from + c_plane * p.plane + place;
    const auto pitch = static_cast<std::ptrdiff_t>(p.pitch);
    set(place, c[0], c[-1], c[1], c[-pitch], c[pitch]);
  }
  HD void operator()(int x, int y) const {
    const Phase<Real> c{p, f, from + c_plane * p.plane};
    set(lbm_place(p, x, y), c.at(x, y), c.at(x - 1, y), c.at(x + 1, y), c.at(x, y - 1), c.at(x, y + 1));
  }
};

// Blocks that a multiprocessor of a GPU holds at once, which bounds the registers of a thread: fewer would wait longer
// for memory.
template <class Real>
constexpr int phase_blocks = sizeof(Real) == 4 ? 6 : 4;

// The second launch: c after the step, with the velocity before it.
template <class Real>
struct PhaseStep {
  static constexpr int blocks = phase_blocks<Real>;

  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* from;
  Real* to;

  HD static Real tanh_near_zero(Real x) {
    const Real s = x * x;
    return x * (Real(15) + s) / std::fma(Real(6), s, Real(15));  // Pade; 1e-4 off at 1
  }

  HD void interior(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y), pitch = p.pitch;
    finish<false>({place, place + 1, place - 1, place + pitch, place - pitch, place + pitch + 1, place - pitch - 1,
                   place - pitch + 1, place + pitch - 1});
  }
  HD void operator()(int x, int y) const {
    const auto at = [&](int dx, int dy) {
      const int to_x = x + dx, to_y = y + dy;
      const bool closed = (to_x < 0 && p.left != LbmSide::periodic) || (to_x >= p.nx && p.right != LbmSide::periodic) ||
                          (to_y < 0 && p.bottom != LbmSide::periodic) || (to_y >= p.ny && p.top != LbmSide::periodic);
      return closed ? nowhere : lbm_place(p, lbm_fold(to_x, p.nx), lbm_fold(to_y, p.ny));
    };
    finish<true>({at(0, 0), at(1, 0), at(-1, 0), at(0, 1), at(0, -1), at(1, 1), at(-1, -1), at(1, -1), at(-1, 1)});
  }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};  // a cell beyond a side: nothing passes
  struct Places {
    std::size_t here, e, w, n, s, ne, sw, se, nw;
  };

  template <bool at_side>
  HD void finish(const Places& at) const {
    constexpr Real on_axes = Real(2) / Real(3), on_diagonals = Real(1) / Real(6);
    const Real *const c = from + c_plane * p.plane, *const normal_x = to + normal_x_plane * p.plane,
                      *const normal_y = to + normal_y_plane * p.plane;
    const auto open = [](std::size_t there) { return !at_side || there != nowhere; };
#ifdef __CUDA_ARCH__
    // Pure gas stays so; a GPU saves itself the rest.
    const auto gas = [&](std::size_t there) { return !open(there) || c[there] == 0; };
    if (gas(at.here) & gas(at.e) & gas(at.w) & gas(at.n) & gas(at.s) & gas(at.ne) & gas(at.sw) & gas(at.se) &
        gas(at.nw)) {
      to[c_plane * p.plane + at.here] = Real(0);
      return;
    }
#endif
    // Exchanging the ends of a link reverses the sign of what passes it, to the bit. By diffusion:
    const auto spread = [&](std::size_t there) { return open(there) ? c[there] - c[at.here] : Real(0); };
    Real gained = on_axes * ((spread(at.e) + spread(at.w)) + (spread(at.n) + spread(at.s))) +
                  on_diagonals * ((spread(at.ne) + spread(at.sw)) + (spread(at.se) + spread(at.nw)));
    // The sum of both normals along a link.
    const auto along_x = [&](std::size_t there) { return open(there) ? normal_x[at.here] + normal_x[there] : Real(0); };
    const auto along_y = [&](std::size_t there) { return open(there) ? normal_y[at.here] + normal_y[there] : Real(0); };
    const Real to_e = along_x(at.e), to_w = -along_x(at.w), to_n = along_y(at.n), to_s = -along_y(at.s),
               to_ne = along_x(at.ne) + along_y(at.ne), to_sw = -(along_x(at.sw) + along_y(at.sw)),
               to_se = along_x(at.se) - along_y(at.se), to_nw = along_y(at.nw) - along_x(at.nw);
    if (to_e != 0 || to_w != 0 || to_n != 0 || to_s != 0 || to_ne != 0 || to_sw != 0 || to_se != 0 || to_nw != 0) {
      // What keeps the interface thin.
      const auto held = [&](std::size_t there, Real turn) {
        if (!open(there)) return Real(0);
        const Real a = c[at.here], b = c[there];
        return tanh_near_zero(Real(0.5) * f.half_turn * turn) * ((a + b) - Real(2) * (a * b));
      };
      gained = gained -
               (on_axes * ((held(at.e, to_e) + held(at.w, to_w)) + (held(at.n, to_n) + held(at.s, to_s))) +
                on_diagonals * ((held(at.ne, to_ne) + held(at.sw, to_sw)) + (held(at.se, to_se) + held(at.nw, to_nw))));
    }
    // What the flow carries through the face between two cells.
    const auto carried = [&](const Real* u, std::size_t there) {
      return open(there) ? Real(0.25) * ((u[at.here] + u[there]) * (c[at.here] + c[there])) : Real(0);
    };
    const Real *const ux = from + ux_plane * p.plane, *const uy = from + uy_plane * p.plane;
    const Real flow_x = carried(ux, at.e) - carried(ux, at.w), flow_y = carried(uy, at.n) - carried(uy, at.s);
    const Real value = c[at.here] + (f.mobility * gained - (flow_x + flow_y));
    // Far from the liquid c falls off to what a CPU computes slowly.
    constexpr Real least = sizeof(Real) == 4 ? Real(1e-15) : Real(1e-30);
    to[c_plane * p.plane + at.here] = value < least && value > -least ? Real(0) : value;
  }
};

// The third launch: the populations, and the velocity.
template <class Real>
struct FlowStep {
  static constexpr int blocks = phase_blocks<Real>;

  LbmParams<Real> p;
  LbmPhases<Real> f;
  const Real* from;
  Real* to;

  HD void interior(int x, int y) const {
    Real q[9];
    lbm_pull_plain(p, from, lbm_place(p, x, y), q);
    finish(lbm_place(p, x, y), Phase<Real>{p, f, to + c_plane * p.plane}.inside(x, y), q);
  }
  HD void operator()(int x, int y) const {
    Real q[9];
    pull_at_side(x, y, q);
    finish(lbm_place(p, x, y), Phase<Real>{p, f, to + c_plane * p.plane}.all(x, y), q);
  }

  // What LbmPull does at sides that are walls, slip sides or periodic. It takes half the registers, on which the speed
  // of all cells depends.
  HD void pull_at_side(int x, int y, Real (&q)[9]) const {
    for (int i = 0; i < 9; ++i) {
      const int ex = (i == 1 || i == 5 || i == 7) - (i == 2 || i == 6 || i == 8);
      const int ey = (i == 3 || i == 5 || i == 8) - (i == 4 || i == 6 || i == 7);
      const LbmSide side_x = ex == 0 ? LbmSide::periodic : beyond(x - ex, p.nx, p.left, p.right);
      const LbmSide side_y = ey == 0 ? LbmSide::periodic : beyond(y - ey, p.ny, p.bottom, p.top);
      const bool out_x = side_x != LbmSide::periodic, out_y = side_y != LbmSide::periodic;
      const bool mirror_x = !out_y && side_x == LbmSide::slip && ey != 0;
      const bool mirror_y = !out_x && side_y == LbmSide::slip && ex != 0;
      const int back = i == 0 ? 0 : i % 2 == 1 ? i + 1 : i - 1;
      const int sent = mirror_x ? lbm_mirror_x(i) : mirror_y ? lbm_mirror_y(i) : out_x || out_y ? back : i;
      const int from_x = out_x || (out_y && !mirror_y) ? x : lbm_fold(x - ex, p.nx);
      const int from_y = out_y || (out_x && !mirror_x) ? y : lbm_fold(y - ey, p.ny);
      q[i] = from[static_cast<std::size_t>(sent) * p.plane + lbm_place(p, from_x, from_y)];
      const Real u = side_y == LbmSide::moving ? p.velocity * p.slide[ey > 0 ? 2 : 3] : Real(0);
      const Real v = side_x == LbmSide::moving ? p.velocity * p.slide[ex > 0 ? 0 : 1] : Real(0);
      if (out_x || out_y)
        q[i] = q[i] + Real(6) * (i < 5 ? Real(1) / Real(9) : Real(1) / Real(36)) * (Real(ex) * u + Real(ey) * v);
    }
  }
  HD static LbmSide beyond(int k, int n, LbmSide low, LbmSide high) {
    return k < 0 ? low : k >= n ? high : LbmSide::periodic;
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
    const Real s1 = q[1] + q[2], s2 = q[3] + q[4], s3 = q[5] + q[6], s4 = q[7] + q[8];
    const Real d1 = q[1] - q[2], d2 = q[3] - q[4], d3 = q[5] - q[6], d4 = q[7] - q[8];
    const Real pressure = q[0] + ((s1 + s2) + (s3 + s4));  // 3 p / rho
    const Real jx = d1 + (d3 + d4), jy = d2 + (d3 - d4);
    const LbmPush<Real> push = lbm_push_at(p, place, 1);
    const Real weight = Real(1) - f.still * inverse;
    const Real nu = (f.gas_friction + share * f.more_friction) * inverse, omega = Real(1) / (Real(3) * nu + half);
    Real gx = push.x + weight * f.gravity_x, gy = push.y + weight * f.gravity_y;
    if (slope_x != 0 || slope_y != 0) {  // what acts at the interface
      const Real s = Real(2) * c.here - Real(1), square = s * s;
      const Real from_plane = f.well * s * (Real(1) - square) / (Real(1) - f.well * (square < 1 ? square : Real(1)));
      const Real tension = -f.kappa * (from_plane + bend) * inverse;
      const Real pressed = third * pressure * ((Real(1) - f.gas) * inverse);
      gx = gx + (tension - pressed) * slope_x;
      gy = gy + (tension - pressed) * slope_y;
      // The stress follows from the velocity, and part of the force from the stress: with the velocity without that
      // part. The stress divided by the mean density of the faces makes that of a shear flow continuous.
      const Real mean = rho + quarter * (Real(1) - f.gas) * bend,
                 smear = (Real(1) - f.gas) / (mean > f.gas ? mean : f.gas);
      const Real u = jx + half * gx, v = jy + half * gy;
      const Real normal = ((s1 - s2) - (u * u - v * v)) + (u * gx - v * gy);
      const Real shear = ((s3 - s4) - u * v) + half * (u * gy + v * gx);
      const Real stays = (Real(1) - half * omega) * smear, along = stays * (half * normal), aslant = stays * shear;
      gx = gx - (along * slope_x + aslant * slope_y);
      gy = gy - (aslant * slope_x - along * slope_y);
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
void lbm_phases_step(const Executor& executor, const LbmParams<Real>& p, const LbmPhases<Real>& f, const Real* from,
                     Real* to) {
  parallel_for(executor, "lbm_phase_normals", {p.nx, p.ny}, PhaseNormals<Real>{p, f, from, to});
  parallel_for(executor, "lbm_phase", {p.nx, p.ny}, PhaseStep<Real>{p, f, from, to});
  parallel_for(executor, "lbm_phases_flow", {p.nx, p.ny}, FlowStep<Real>{p, f, from, to});
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

#define SIMREEL_INSTANTIATE(Real)                                                                                     \
  template LbmPhases<Real> lbm_phases_of(const LbmFluids&);                                                           \
  template void lbm_phases_step(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const Real*, Real*); \
  template void lbm_phases_start(const Executor&, const LbmParams<Real>&, const LbmPhasesGiven&, Real*);              \
  template void lbm_phases_field(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const Real*,        \
                                 LbmField, Real*);                                                                    \
  template LbmSums lbm_phases_sums(const Executor&, const LbmParams<Real>&, const LbmPhases<Real>&, const OwnRows&,   \
                                   const Real*, void*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
