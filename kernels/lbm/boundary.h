#pragma once
// Streaming into a cell whose neighbours may be solid or outside the grid: the boundary conditions.

#ifndef __CUDA_ARCH__
#include <bit>
#endif

#include "kernels/lbm/outlet.h"

namespace simreel {

// The column or row of index k on a periodic grid of n.
HD inline int lbm_fold(int k, int n) { return k >= 0 && k < n ? k : (k % n + n) % n; }

// The same for the halo of a tile, which may extend beyond the grid; -1 if there is no such cell.
HD inline int lbm_fold_ring(int k, int n, bool periodic) {
  if (k >= 0 && k < n) return k;
  if (!periodic || k > n) return -1;
  return k < 0 ? n - 1 : 0;
}

HD inline std::size_t lbm_bits(std::uint64_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<std::size_t>(__popcll(word));
#else
  return static_cast<std::size_t>(std::popcount(word));
#endif
}

// Of velocity i: components, the opposite one, and the weight.
HD constexpr int lbm_ex(int i) { return (i == 1 || i == 5 || i == 7) - (i == 2 || i == 6 || i == 8); }
HD constexpr int lbm_ey(int i) { return (i == 3 || i == 5 || i == 8) - (i == 4 || i == 6 || i == 7); }
HD constexpr int lbm_back(int i) { return i % 2 == 1 ? i + 1 : i - 1; }
template <class Real>
HD constexpr Real lbm_weight(int i) {
  return i < 5 ? Real(1) / Real(9) : Real(1) / Real(36);
}
// Calls call.operator()<i>() for the velocities along the axes, and for all but rest.
template <class Call>
[[gnu::always_inline]] HD inline void lbm_for_axes(const Call& call) {
  call.template operator()<1>();
  call.template operator()<2>();
  call.template operator()<3>();
  call.template operator()<4>();
}
template <class Call>
[[gnu::always_inline]] HD inline void lbm_for_moving(const Call& call) {
  lbm_for_axes(call);
  call.template operator()<5>();
  call.template operator()<6>();
  call.template operator()<7>();
  call.template operator()<8>();
}

// Velocity i with its x or its y component reversed; diagonals only.
HD inline int lbm_mirror_x(int i) { return i == 5 ? 8 : i == 8 ? 5 : i == 6 ? 7 : 6; }
HD inline int lbm_mirror_y(int i) { return i == 5 ? 7 : i == 7 ? 5 : i == 6 ? 8 : 6; }

// The populations that a step reads: those of velocity i at a cell of the grid.
template <class Real, class Stored>
struct LbmPlanes {
  const LbmParams<Real>& p;
  const Stored* f;
  HD const Stored* where(int i, int x, int y) const {
    return f + static_cast<std::size_t>(i) * p.plane + lbm_place(p, x, y);
  }
};

// Pulls populations into the cell (x, y) from LbmPlanes or from a source with the same interface. On a GPU few threads
// have such cells, and others wait for them. So what is loaded is chosen by its address, and loads that do not depend
// on a branch precede it, to overlap.
template <class Real, class Source>
struct LbmPull {
  const LbmParams<Real>& p;
  const LbmCells& cells;
  Source source;
  int x, y;
  int step = 0;  // of a pass, 0 or 1

  HD void all(Real (&q)[9]) const {
    const bool inside = x > 0 && y > 0 && x < p.nx - 1 && y < p.ny - 1;
    inside ? among_cells(q) : at_side(q);
    if ((cells.cell[lbm_place(p, x, y)] & lbm_curved) != 0) at_curve(q);
  }

  // The velocity of the obstacle that the link of velocity (ex, ey) leads to, where the link meets it.
  HD void wall_velocity(int ex, int ey, Real part, Real& ux, Real& uy) const {
    ux = uy = 0;
    if (!cells.spin) return;
    const int n = -1 - cells.cell[lbm_place(p, lbm_fold(x + ex, p.nx), lbm_fold(y + ey, p.ny))];
    const LbmSpin& spin = cells.spin[n];
    const Real rate = static_cast<Real>(spin.now[step]) * p.inflow[step].along;
    ux = -rate * (static_cast<Real>(seen_y(ey) - spin.y) + part * Real(ey));
    uy = rate * (static_cast<Real>(seen_x(ex) - spin.x) + part * Real(ex));
  }
  // Where an obstacle sees this cell along a link, which may cross a periodic side; in the whole grid.
  HD int seen_x(int ex) const { return lbm_fold(x + ex, p.nx) - ex; }
  HD int seen_y(int ey) const { return lbm_fold(p.y0 + y + ey, p.whole_ny) - ey; }

  // The parts of the links of this cell, which is curved, in 1/256.
  HD const std::uint8_t* shares() const {
    const LbmCurves& c = cells.curves;
    const auto word =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(c.words) + static_cast<std::size_t>(x / 64);
    const std::uint64_t lower = (std::uint64_t{1} << (x % 64)) - 1;
    return c.share + 8 * (static_cast<std::size_t>(c.before[word]) + lbm_bits(c.mask[word] & lower));
  }

 private:
  // Interpolates along links that a wall cuts elsewhere than in the middle. The population that a second cell would
  // send to the wall is the one that this cell pulls for the same velocity anyway, so no other cell is read.
  HD void at_curve(Real (&q)[9]) const {
    const std::uint8_t* const share = shares();
    Real mine[9];
    for (int i = 1; i < 9; ++i) mine[i] = own(i);  // before the first branch, as in at_side
    lbm_for_moving(
        [&]<int i>() { bend(i, lbm_back(i), lbm_ex(i), lbm_ey(i), lbm_weight<Real>(i), share[i - 1], mine, q); });
  }

  // The link of velocity i = (ex, ey) leads to the wall, `back` comes from there.
  HD void bend(int i, int back, int ex, int ey, Real w, std::uint8_t share, const Real (&mine)[9], Real (&q)[9]) const {
    if (share == 0) return;
    Real ux = 0, uy = 0;
    wall_velocity(ex, ey, static_cast<Real>(share) / Real(256), ux, uy);
    const Real pushed = Real(-6) * w * (Real(ex) * ux + Real(ey) * uy), out = mine[i];
    if (share < 128) {
      const Real twice = static_cast<Real>(share) / Real(128);
      q[back] = (twice * out + (Real(1) - twice) * q[i]) + pushed;
    } else {
      const Real inverse = Real(128) / static_cast<Real>(share);
      q[back] = inverse * (out + pushed) + (Real(1) - inverse) * mine[back];
    }
  }

  // Away from the sides only solid cells matter. A link between two solid cells that touch at a corner is closed.
  HD void among_cells(Real (&q)[9]) const {
    const std::int8_t* const here = cells.cell + lbm_place(p, x, y);
    const bool west = here[-1] < 0, east = here[1] < 0;
    const bool south = *(here - p.pitch) < 0, north = *(here + p.pitch) < 0;
    const bool sw = *(here - p.pitch - 1) < 0 || (south && west), se = *(here - p.pitch + 1) < 0 || (south && east);
    const bool nw = *(here + p.pitch - 1) < 0 || (north && west), ne = *(here + p.pitch + 1) < 0 || (north && east);
    const auto arrives = [&](bool closed, int i, int back, int from_x, int from_y) {
      return lbm_load(closed ? source.where(back, x, y) : source.where(i, from_x, from_y));
    };
    q[0] = own(0);
    q[1] = arrives(west, 1, 2, x - 1, y);
    q[2] = arrives(east, 2, 1, x + 1, y);
    q[3] = arrives(south, 3, 4, x, y - 1);
    q[4] = arrives(north, 4, 3, x, y + 1);
    q[5] = arrives(sw, 5, 6, x - 1, y - 1);
    q[6] = arrives(ne, 6, 5, x + 1, y + 1);
    q[7] = arrives(nw, 7, 8, x - 1, y + 1);
    q[8] = arrives(se, 8, 7, x + 1, y - 1);
  }

  // The next column or row in one direction: `out` if it lies beyond a side that is not periodic; then `at` is the own.
  struct Next {
    bool out;
    LbmSide side;
    int at;
  };
  HD static Next next(int own, int to, int n, LbmSide side) {
    const bool beyond = to < 0 || to >= n, out = beyond && side != LbmSide::periodic;
    return {out, side, out ? own : !beyond ? to : to < 0 ? n - 1 : 0};
  }

  // The link along which a velocity arrives, from the next column and row against it.
  struct Link {
    Next along_x, along_y;
    bool beyond;   // it comes from beyond sides that do not reflect it
    bool outlets;  // these are outlets
    bool back;     // what arrives is what this cell sent against it, and else velocity i of the cell that is next
    int i;
  };
  // On a slip side a diagonal is the mirror image of the population that the next cell along the side sent against it.
  [[gnu::always_inline]] HD Link link(int i, const Next& along_x, const Next& along_y) const {
    const bool out_x = along_x.out, out_y = along_y.out, diagonal = i > 4;
    const bool slip_x = out_x && !out_y && along_x.side == LbmSide::slip;
    const bool slip_y = out_y && !out_x && along_y.side == LbmSide::slip, slips = slip_x || slip_y;
    const bool solid = is_solid(along_x.at, along_y.at);
    const bool closed = solid || (diagonal && is_solid(along_x.at, y) && is_solid(x, along_y.at));
    const int mirrored = !diagonal ? lbm_back(i) : slip_x ? lbm_mirror_x(i) : lbm_mirror_y(i);
    const bool outlets = (!out_x || along_x.side == LbmSide::outlet) && (!out_y || along_y.side == LbmSide::outlet);
    return {along_x,
            along_y,
            (out_x || out_y) && !slips,
            outlets,
            slips ? solid : out_x || out_y || closed,
            slips ? mirrored : i};
  }

  // The outlet at which a cell lies: its outward normal, diagonal where two outlets meet, and the next cell inwards.
  struct Exit {
    int along_x, along_y, x, y;
    bool passes;  // sound: the outlet is characteristic, and the next cell is fluid of the grid
    bool alone;   // no wall, moving wall, inlet or other outlet meets it here
  };
  HD Exit way_out() const {
    const int along_x = outward(x, p.nx, p.left, p.right), along_y = outward(y, p.ny, p.bottom, p.top);
    const int in_x = x - along_x, in_y = y - along_y;
    const bool known = p.outlet == LbmOutlet::characteristic && (along_x != 0 || along_y != 0) && in_x >= 0 &&
                       in_y >= 0 && in_x < p.nx && in_y < p.ny;
    const bool meets_x = along_y != 0 && ((x == 0 && holds(p.left)) || (x == p.nx - 1 && holds(p.right)));
    const bool meets_y = along_x != 0 && ((y == 0 && holds(p.bottom)) || (y == p.ny - 1 && holds(p.top)));
    return {along_x, along_y, in_x, in_y, known && !is_solid(in_x, in_y), !meets_x && !meets_y};
  }
  HD static int outward(int k, int n, LbmSide low, LbmSide high) {
    return (k == n - 1 && high == LbmSide::outlet ? 1 : 0) - (k == 0 && low == LbmSide::outlet ? 1 : 0);
  }
  HD static bool holds(LbmSide side) { return side != LbmSide::periodic && side != LbmSide::slip; }

  HD void at_side(Real (&q)[9]) const {
    const Next west = next(x, x - 1, p.nx, p.left), east = next(x, x + 1, p.nx, p.right), same_x{false, p.left, x};
    const Next south = next(y, y - 1, p.ny, p.bottom), north = next(y, y + 1, p.ny, p.top), same_y{false, p.bottom, y};
    Link links[9];
    lbm_for_moving([&]<int i>() {
      constexpr int ex = lbm_ex(i), ey = lbm_ey(i);
      links[i] = link(i, ex > 0 ? west : ex < 0 ? east : same_x, ey > 0 ? south : ey < 0 ? north : same_y);
    });
    q[0] = own(0);
    lbm_for_moving([&]<int i>() {
      q[i] = lbm_load(links[i].back ? source.where(lbm_back(i), x, y)
                                    : source.where(links[i].i, links[i].along_x.at, links[i].along_y.at));
    });
    lbm_for_moving([&]<int i>() {
      if (links[i].beyond && !links[i].outlets)
        q[i] = q[i] + pushed(links[i], lbm_ex(i), lbm_ey(i), lbm_weight<Real>(i));
    });
    const auto leads_out = [](const Next& to) { return to.out && to.side == LbmSide::outlet; };
    if (leads_out(west) || leads_out(east) || leads_out(south) || leads_out(north)) at_outlet(links, q);
  }

  HD void at_outlet(const Link (&links)[9], Real (&q)[9]) const {
    const Exit out = way_out();
    Real mine[9], inward[9] = {};
    for (int i = 0; i < 9; ++i) mine[i] = own(i);
    if (out.passes)
      for (int i = 0; i < 9; ++i) inward[i] = lbm_load(source.where(i, out.x, out.y));
    const LbmMacroscopic<Real> here = lbm_macroscopic(push_at(lbm_place(p, x, y), step), mine);
    lbm_for_moving([&]<int i>() {
      if (!links[i].beyond || !links[i].outlets) return;
      if (out.passes)  // kept only if the outlet is not alone
        q[i] = inward[i] - lbm_return_rate(p, out.along_x != 0) * lbm_weight<Real>(i) * here.density;
      else
        q[i] = outflow(i, lbm_ex(i), lbm_ey(i), lbm_weight<Real>(i), links[i], here, mine[lbm_back(i)]);
    });
    if (out.passes && out.alone)
      lbm_let_out(p, here, lbm_macroscopic(push_at(lbm_place(p, out.x, out.y), step), inward), out.along_x, out.along_y,
                  push_at(lbm_place(p, x, y), step + 1), q);
  }

  // What the sides add to a population that they send back along velocity (ex, ey), of weight w.
  HD Real pushed(const Link& link, int ex, int ey, Real w) const {
    const bool beyond_x = link.along_x.out, beyond_y = link.along_y.out;
    const LbmSide side_x = link.along_x.side, side_y = link.along_y.side;
    const LbmInflow<Real> inflow = p.inflow[step];
    Real ux = 0, uy = 0;
    if (beyond_x && side_x == LbmSide::moving) uy = p.velocity * p.slide[x - ex < 0 ? 0 : 1];
    if (beyond_y && side_y == LbmSide::moving) ux = p.velocity * p.slide[y - ey < 0 ? 2 : 3];
    if (beyond_x && side_x == LbmSide::inlet) {
      ux = ux + Real(ex) * (profile(lbm_row_of_whole(p, y), ey, p.whole_ny, x - ex < 0 ? 0 : 1) * inflow.along);
      uy = uy + p.velocity * inflow.across;
    }
    if (beyond_y && side_y == LbmSide::inlet) {
      ux = ux + p.velocity * inflow.across;
      uy = uy + Real(ey) * (profile(x, ex, p.nx, y - ey < 0 ? 2 : 3) * inflow.along);
    }
    return Real(6) * w * (Real(ex) * ux + Real(ey) * uy);
  }

  // A source may know of accelerations that are not in the parameters: those of a temperature.
  HD LbmPush<Real> push_at(std::size_t place, int of_step) const {
    if constexpr (requires { source.push(place, of_step); })
      return source.push(place, of_step);
    else
      return lbm_push_at(p, place, of_step);
  }
  HD Real own(int i) const { return lbm_load(source.where(i, x, y)); }
  HD bool is_solid(int sx, int sy) const { return cells.cell[lbm_place(p, sx, sy)] < 0; }
  HD LbmMacroscopic<Real> macroscopic(int sx, int sy) const {
    Real q[9];
    for (int i = 0; i < 9; ++i) q[i] = lbm_load(source.where(i, sx, sy));
    return lbm_macroscopic(push_at(lbm_place(p, sx, sy), step), q);
  }

  // The speed of the inlet half a link away from the cell at `k` of a side of n cells, of number `side`.
  HD Real profile(int k, int e, int n, int side) const {
    if (p.profile) return p.velocity * p.profile[lbm_profile_place(p, step, side, 2 * k + 1 - e)];
    if (!p.parabolic) return p.velocity;
    const Real from_low = Real(2 * k + 1 - e), from_high = Real(2 * n) - from_low;  // in half cells
    return p.velocity * (from_low * from_high) / (Real(n) * Real(n));
  }

  // Anti-bounce-back: the sum of two populations whose links meet on the outlet is that of the equilibrium at
  // density 1. A diagonal meets its mirror image, which the next cell along the side sends; shear adds to one what it
  // subtracts from the other. The cell's own opposite velocity would give the right pressure, but it carries the same
  // shear, so the sum would drive the shear to zero and bend the flow (by a tenth of its speed in a Poiseuille flow).
  HD Real outflow(int i, int ex, int ey, Real w, const Link& link, const LbmMacroscopic<Real>& at, Real sent) const {
    const bool beyond_x = link.along_x.out, beyond_y = link.along_y.out;
    if (ex != 0 && ey != 0 && beyond_x != beyond_y) {
      const int sx = link.along_x.at, sy = link.along_y.at;
      if (!is_solid(sx, sy)) {
        const LbmMacroscopic<Real> next = macroscopic(sx, sy);
        const Real ux = Real(0.5) * (at.ux + next.ux), uy = Real(0.5) * (at.uy + next.uy);
        const Real along = beyond_x ? Real(ey) * uy : Real(ex) * ux;
        return Real(6) * w * ((ux * ux + uy * uy) + along) -
               lbm_load(source.where(beyond_x ? lbm_mirror_x(i) : lbm_mirror_y(i), sx, sy));
      }
    }
    const Real along = Real(ex) * at.ux + Real(ey) * at.uy;
    return Real(2) * w * (Real(4.5) * (along * along) - Real(1.5) * (at.ux * at.ux + at.uy * at.uy)) - sent;
  }
};

}  // namespace simreel
