// Observables of a flow: fields, sums, and the forces on obstacles.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/reduce.h"
#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

template <class Real, class Stored>
HD LbmMacroscopic<Real> macroscopic_at(const LbmParams<Real>& p, const Stored* state, std::size_t place) {
  Real q[9];
  lbm_load_cell(p, state, place, q);
  return lbm_macroscopic(lbm_push_at(p, place, 0), q);
}

template <class Real, class Stored>
struct Field {
  LbmParams<Real> p;
  LbmCells cells;
  const Stored* state;
  LbmField field;
  Real* out;

  // The velocity one cell away; beyond a wall it is extrapolated such that the mean is the velocity of the wall, beyond
  // inlets and outlets it is the cell's own, beyond a slip side its mirror image.
  HD LbmMacroscopic<Real> neighbour(int x, int y, int dx, int dy, const LbmMacroscopic<Real>& own) const {
    const int column = x + dx, row = y + dy;
    const LbmSide side = column < 0 ? p.left : column >= p.nx ? p.right : row < 0 ? p.bottom : p.top;
    if (column < 0 || column >= p.nx || row < 0 || row >= p.ny) {
      if (side == LbmSide::inlet || side == LbmSide::outlet) return own;
      if (side == LbmSide::slip) return {own.density, dx != 0 ? -own.ux : own.ux, dy != 0 ? -own.uy : own.uy};
      if (side != LbmSide::periodic) {
        const Real wall = side == LbmSide::moving ? p.velocity : Real(0);
        return {own.density, Real(dy != 0 ? 2 : 0) * wall - own.ux, Real(dx != 0 ? 2 : 0) * wall - own.uy};
      }
    }
    const std::size_t place = lbm_place(p, lbm_fold(column, p.nx), lbm_fold(row, p.ny));
    if (cells.cell[place] < 0) return beside_wall(x, y, dx, dy, own);
    return macroscopic_at(p, state, place);
  }

  // In the solid cell at (dx, dy), such that the differences are those of a line through the wall: from the cell itself
  // where the wall is in the middle, and otherwise from the cell on the other side, which may be nearer than the wall.
  HD LbmMacroscopic<Real> beside_wall(int x, int y, int dx, int dy, const LbmMacroscopic<Real>& own) const {
    const LbmPull<Real, LbmPlanes<Real, Stored>> here{p, cells, {p, state}, x, y};
    const int direction = dx > 0 ? 0 : dx < 0 ? 1 : dy > 0 ? 2 : 3;
    const std::uint8_t share =
        (cells.cell[lbm_place(p, x, y)] & lbm_curved) != 0 ? here.shares()[direction] : std::uint8_t{0};
    const bool middle = share == 0 || share == 128;
    Real ux = 0, uy = 0;
    here.wall_velocity(dx, dy, middle ? Real(0.5) : static_cast<Real>(share) / Real(256), ux, uy);
    const int back_x = p.left == LbmSide::periodic ? lbm_fold(x - dx, p.nx) : x - dx;
    const int back_y = p.bottom == LbmSide::periodic ? lbm_fold(y - dy, p.ny) : y - dy;
    const bool inside = back_x >= 0 && back_y >= 0 && back_x < p.nx && back_y < p.ny;
    if (middle || !inside) return {own.density, Real(2) * ux - own.ux, Real(2) * uy - own.uy};
    const LbmMacroscopic<Real> back = macroscopic_at(p, state, lbm_place(p, back_x, back_y));
    const Real stretch = Real(512) / (Real(256) + static_cast<Real>(share));
    return {own.density, back.ux + stretch * (ux - back.ux), back.uy + stretch * (uy - back.uy)};
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cells.cell[place] < 0) {
      out[place] = std::numeric_limits<Real>::quiet_NaN();
      return;
    }
    const LbmMacroscopic<Real> at = macroscopic_at(p, state, place);
    Real value = 0;
    switch (field) {
      case LbmField::speed: value = std::sqrt(at.ux * at.ux + at.uy * at.uy); break;
      case LbmField::ux: value = at.ux; break;
      case LbmField::uy: value = at.uy; break;
      case LbmField::density: value = Real(1) + at.density; break;
      case LbmField::vorticity:
        value = Real(0.5) * ((neighbour(x, y, 1, 0, at).uy - neighbour(x, y, -1, 0, at).uy) -
                             (neighbour(x, y, 0, 1, at).ux - neighbour(x, y, 0, -1, at).ux));
        break;
      case LbmField::tracer:
      case LbmField::temperature:
      case LbmField::phase: break;
    }
    out[place] = value;
  }
};

template <class Real, class Stored>
struct Sums {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* state;

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
    if (cell[place] < 0) return empty();
    const LbmMacroscopic<Real> at = macroscopic_at(p, state, place);
    const double ux = static_cast<double>(at.ux), uy = static_cast<double>(at.uy),
                 density = static_cast<double>(at.density);
    const double square = ux * ux + uy * uy;
    const double comparable = square == square ? square : std::numeric_limits<double>::infinity();
    const double fastest = std::fabs(ux) > std::fabs(uy) ? std::fabs(ux) : std::fabs(uy);
    const bool limited =
        (p.model == LbmModel::central || p.model == LbmModel::central_eddies) && fastest > 0.999 * lbm_speed_limit;
    return {1, density, ux, uy, 0.5 * (1 + density) * square, comparable, limited ? 1.0 : 0.0};
  }
};

template <class Real, class Stored>
struct Exchange {
  LbmParams<Real> p;
  LbmCells cells;
  const Stored* state;
  int obstacle;
  LbmBox box;

  using Value = LbmForce;
  HD static Value empty() { return {0, 0, 0}; }
  HD static Value combine(const Value& a, const Value& b) { return {a.x + b.x, a.y + b.y, a.torque + b.torque}; }

  HD void link(int x, int y, int i, int ex, int ey, Value& sum) const {
    const int parts = parts_of(x, y, ex, ey);
    if (parts == 0) return;
    const double f = leaving(x, y, i);
    sum.x += parts * ex * f;
    sum.y += parts * ey * f;
  }
  HD double leaving(int x, int y, int i) const {
    return static_cast<double>(lbm_load(state + static_cast<std::size_t>(i) * p.plane + lbm_place(p, x, y)));
  }
  // At a wall that cuts a link elsewhere than in the middle, or moves, what comes back is not what left.
  HD void curved(int x, int y, const std::uint8_t* share, const Real (&q)[9], int i, int back, int ex, int ey,
                 Value& sum) const {
    const int parts = parts_of(x, y, ex, ey);
    if (parts == 0) return;
    Real ux = 0, uy = 0;
    const auto here = pull(x, y);
    if (share[i - 1] != 0) here.wall_velocity(ex, ey, static_cast<Real>(share[i - 1]) / Real(256), ux, uy);
    const double f = leaving(x, y, i), back_f = static_cast<double>(q[back]);
    const double force_x = 0.5 * parts * (ex * (f + back_f) - static_cast<double>(ux) * (f - back_f));
    const double force_y = 0.5 * parts * (ey * (f + back_f) - static_cast<double>(uy) * (f - back_f));
    sum.x += force_x;
    sum.y += force_y;
    if (!cells.spin || share[i - 1] == 0) return;
    const LbmSpin& spin = cells.spin[obstacle];
    if (spin.rate == 0) return;
    const double part = share[i - 1] / 256.0;
    sum.torque += (here.seen_x(ex) + part * ex - spin.x) * force_y - (here.seen_y(ey) + part * ey - spin.y) * force_x;
  }
  HD LbmPull<Real, LbmPlanes<Real, Stored>> pull(int x, int y) const { return {p, cells, {p, state}, x, y}; }

  // How many halves of the population that leaves (x, y) with velocity i = (ex, ey) the obstacle reflects: 2, or one
  // for each of the two solid cells that close a diagonal.
  HD int parts_of(int x, int y, int& ex, int& ey) const {
    const std::int8_t* const cell = cells.cell;
    const bool beyond_x = x + ex < 0 || x + ex >= p.nx, beyond_y = y + ey < 0 || y + ey >= p.ny;
    // A diagonal that meets an obstacle where it meets a slip side gives one component to the side.
    const bool slips_x = beyond_x && (x + ex < 0 ? p.left : p.right) == LbmSide::slip;
    const bool slips_y = beyond_y && (y + ey < 0 ? p.bottom : p.top) == LbmSide::slip;
    if ((beyond_x && p.left != LbmSide::periodic && !slips_x) ||
        (beyond_y && p.bottom != LbmSide::periodic && !slips_y))
      return 0;
    const int sx = slips_x ? x : lbm_fold(x + ex, p.nx), sy = slips_y ? y : lbm_fold(y + ey, p.ny),
              self = -1 - obstacle;
    const std::int8_t target = cell[lbm_place(p, sx, sy)];
    int parts = target == self ? 2 : 0;
    if (slips_x || slips_y) {
      ex = slips_x ? 0 : ex;
      ey = slips_y ? 0 : ey;
    }
    if (target >= 0 && ex != 0 && ey != 0) {
      const std::int8_t one = cell[lbm_place(p, sx, y)], other = cell[lbm_place(p, x, sy)];
      if (one < 0 && other < 0) parts = (one == self) + (other == self);
    }
    return parts;
  }
  HD Value operator()(int column, int y) const {
    const int x = box.x0 + column, row = p.y0 + y;
    Value sum = empty();
    if (row < box.y0 || row >= box.y1) return sum;
    const std::int8_t kind = cells.cell[lbm_place(p, x, y)];
    if (!lbm_is_edge(kind)) return sum;
    if ((kind & lbm_curved) != 0) {
      Real q[9];
      const auto here = pull(x, y);
      here.all(q);
      const std::uint8_t* const share = here.shares();
      lbm_for_moving([&]<int i>() { curved(x, y, share, q, i, lbm_back(i), lbm_ex(i), lbm_ey(i), sum); });
    } else {
      lbm_for_moving([&]<int i>() { link(x, y, i, lbm_ex(i), lbm_ey(i), sum); });
    }
    return sum;
  }
};

}  // namespace

template <class Real, class Stored>
void lbm_field(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* state,
               LbmField field, Real* out) {
  parallel_for(executor, "lbm_field", {p.nx, p.ny}, Field<Real, Stored>{p, cells, state, field, out});
}

template <class Real, class Stored>
LbmSums lbm_sums(const Executor& executor, const LbmParams<Real>& p, const OwnRows& rows, const LbmCells& cells,
                 const Stored* state, void* scratch) {
  return reduce(executor, "lbm_sums", p.nx, rows, Sums<Real, Stored>{p, cells.cell, state}, scratch);
}

template <class Real, class Stored>
LbmForce lbm_force(const Executor& executor, const LbmParams<Real>& p, const OwnRows& rows, const LbmCells& cells,
                   const Stored* state, int n, LbmBox box, void* scratch) {
  // The strips of the sum are those of the grid, whichever rows the box has, so that no strip lies on two ranks.
  const int low = p.y0 + rows.first, high = low + rows.count;  // own rows in the whole grid
  const int from = std::clamp(box.y0 / Domain::unit * Domain::unit, low, high), to = std::clamp(box.y1, from, high);
  return reduce(executor, "lbm_force", box.x1 - box.x0, OwnRows{from - p.y0, to - from, rows.ranks},
                Exchange<Real, Stored>{p, cells, state, n, box}, scratch);
}

template <class Real>
std::size_t lbm_reduce_bytes(const LbmParams<Real>& p) {
  return reduce_scratch_bytes({p.nx, p.ny}, sizeof(LbmSums));
}

#define SIMREEL_INSTANTIATE(Real, Stored)                                                                              \
  template void lbm_field(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored*, LbmField, Real*);   \
  template LbmSums lbm_sums(const Executor&, const LbmParams<Real>&, const OwnRows&, const LbmCells&, const Stored*,   \
                            void*);                                                                                    \
  template LbmForce lbm_force(const Executor&, const LbmParams<Real>&, const OwnRows&, const LbmCells&, const Stored*, \
                              int, LbmBox, void*);
SIMREEL_INSTANTIATE(float, float)
SIMREEL_INSTANTIATE(double, double)
SIMREEL_INSTANTIATE(float, Half)
#undef SIMREEL_INSTANTIATE
template std::size_t lbm_reduce_bytes(const LbmParams<float>&);
template std::size_t lbm_reduce_bytes(const LbmParams<double>&);

}  // namespace simreel
