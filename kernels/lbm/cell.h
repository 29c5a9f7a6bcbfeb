#pragma once
// D2Q9 for one cell: storing, streaming and colliding populations. Every variant of the step is built from these, so
// all variants give the same bits. Sums first pair opposite velocities, then add the axes, then the diagonals, so a
// flow that is symmetric under reflection or rotation by 90 degrees stays symmetric to the bit.

#include <cmath>
#include <type_traits>

#include "kernels/base/launch.h"
#include "kernels/lbm/central.h"
#include "kernels/lbm/lbm.h"

namespace simreel {

// Half stores populations times 2^15: they are far below 1, and scaled ones become subnormal less often.
HD inline float lbm_load(const float* f) { return *f; }
HD inline double lbm_load(const double* f) { return *f; }
HD inline float lbm_load(const Half* f) { return half_to_float(*f) * 0x1p-15f; }
HD inline void lbm_store(float* f, float value) { *f = value; }
HD inline void lbm_store(double* f, double value) { *f = value; }
HD inline void lbm_store(Half* f, float value) { *f = float_to_half(value * 0x1p15f); }

// The list of edge cells is launched as rows of this length.
inline constexpr int lbm_edge_columns = 1024;
inline int lbm_edge_rows(const LbmCells& cells) {
  return static_cast<int>((cells.edges + lbm_edge_columns - 1) / lbm_edge_columns);
}

template <class Real>
HD std::size_t lbm_place(const LbmParams<Real>& p, int x, int y) {
  return static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x);
}

// The row of the whole grid that row y of a part is.
template <class Real>
HD int lbm_row_of_whole(const LbmParams<Real>& p, int y) {
  const int row = p.y0 + y;
  return row >= 0 && row < p.whole_ny ? row : ((row % p.whole_ny) + p.whole_ny) % p.whole_ny;
}

// The offset from a cell to the value of velocity i that streams into it, away from boundaries.
template <class Real>
HD std::ptrdiff_t lbm_pull(const LbmParams<Real>& p, int i, int ex, int ey) {
  return static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(p.plane) -
         ey * static_cast<std::ptrdiff_t>(p.pitch) - ex;
}

// The place in LbmParams::profile of the share at a point of a side (0 left, 1 right, 2 bottom, 3 top) in a step of a
// pass, 0 or 1. `half` counts half cells along the side from its lower end, 0 to twice the cells.
template <class Real>
HD std::size_t lbm_profile_place(const LbmParams<Real>& p, int step, int side, int half) {
  const auto longer = static_cast<std::size_t>(p.nx > p.whole_ny ? p.nx : p.whole_ny);
  return static_cast<std::size_t>(4 * step + side) * (2 * longer + 1) + static_cast<std::size_t>(half);
}
template <class Real>
std::size_t lbm_profile_values(const LbmParams<Real>& p) {
  return lbm_profile_place(p, 2, 0, 0);
}

template <class Real>
struct LbmMacroscopic {
  Real density;  // rho - 1
  Real ux, uy;
};

// The acceleration of a cell in the step before (0), in this one (1) or, where a pass takes two, in the next (2).
template <class Real>
HD LbmPush<Real> lbm_push_at(const LbmParams<Real>& p, std::size_t place, int step) {
  LbmPush<Real> push{p.force_x, p.force_y};
  if (!p.driven) return push;
  push.x = push.x + p.swing[step].x;
  push.y = push.y + p.swing[step].y;
  if (p.push) {
    push.x = push.x + p.push[place];
    push.y = push.y + p.push[p.pitch * static_cast<std::size_t>(p.ny) + place];
  }
  return push;
}

// From populations after collision, which contain the force of the whole step, `push`: half of it is subtracted.
template <class Real>
HD LbmMacroscopic<Real> lbm_macroscopic(LbmPush<Real> push, const Real (&q)[9]) {
  const Real density = q[0] + (((q[1] + q[2]) + (q[3] + q[4])) + ((q[5] + q[6]) + (q[7] + q[8])));
  const Real ne_sw = q[5] - q[6], se_nw = q[7] - q[8];
  const Real inverse = Real(1) / (Real(1) + density);
  return {density, ((q[1] - q[2]) + (ne_sw + se_nw)) * inverse - Real(0.5) * push.x,
          ((q[3] - q[4]) + (ne_sw - se_nw)) * inverse - Real(0.5) * push.y};
}

template <class Real, class Stored>
HD void lbm_load_cell(const LbmParams<Real>& p, const Stored* f, std::size_t place, Real (&q)[9]) {
  for (int i = 0; i < 9; ++i) q[i] = lbm_load(f + static_cast<std::size_t>(i) * p.plane + place);
}

// Collides the populations of one cell. Each pair of opposite velocities is split into its sum s and its difference d,
// and so is the equilibrium; the even and the odd part relax independently:  s - w+ (s - s_eq),  d - w- (d - d_eq).
// Always inlined: otherwise GCC finds it too long, and the loop over cells is not vectorised.
template <LbmModel model, bool forced, class Real>
[[gnu::always_inline]] HD inline void lbm_collide(const LbmParams<Real>& p, LbmRates<Real> rates,
                                                  [[maybe_unused]] LbmPush<Real> push, Real (&q)[9]) {
  if constexpr (model == LbmModel::central) return lbm_collide_central<forced, false>(p, rates.even, push, q);
  if constexpr (model == LbmModel::central_eddies) return lbm_collide_central<forced, true>(p, rates.even, push, q);
  constexpr Real axis = Real(2) / Real(9), diagonal = Real(1) / Real(18),
                 rest = Real(4) / Real(9);  // 2 w of a pair, w of rest
  const Real s1 = q[1] + q[2], s2 = q[3] + q[4], s3 = q[5] + q[6], s4 = q[7] + q[8];
  const Real d1 = q[1] - q[2], d2 = q[3] - q[4], d3 = q[5] - q[6], d4 = q[7] - q[8];
  const Real excess = q[0] + ((s1 + s2) + (s3 + s4)), rho = Real(1) + excess, inverse = Real(1) / rho;
  Real ux = (d1 + (d3 + d4)) * inverse, uy = (d2 + (d3 - d4)) * inverse;
  if constexpr (forced) {
    ux = ux + Real(0.5) * push.x;
    uy = uy + Real(0.5) * push.y;
  }
  const Real sum = ux + uy, difference = ux - uy;
  const Real base = std::fma(Real(-1.5) * rho, ux * ux + uy * uy, excess), square = Real(4.5) * rho,
             momentum = Real(3) * rho;

  // Non-equilibrium part of the rest population and of the pairs.
  [[maybe_unused]] Real n0 = std::fma(-rest, base, q[0]);
  Real n1 = std::fma(-axis, std::fma(square, ux * ux, base), s1);
  Real n2 = std::fma(-axis, std::fma(square, uy * uy, base), s2);
  Real n3 = std::fma(-diagonal, std::fma(square, sum * sum, base), s3);
  Real n4 = std::fma(-diagonal, std::fma(square, difference * difference, base), s4);
  Real m1 = std::fma(-axis * momentum, ux, d1), m2 = std::fma(-axis * momentum, uy, d2);
  Real m3 = std::fma(-diagonal * momentum, sum, d3), m4 = std::fma(-diagonal * momentum, difference, d4);

  Real t0 = q[0], t1 = s1, t2 = s2, t3 = s3, t4 = s4, o1 = d1, o2 = d2, o3 = d3, o4 = d4;
  if constexpr (forced) {
    // f - L (f - f_eq) + (1 - L / 2) S  =  f + S - L (f - f_eq + S / 2): the source enters both terms.
    const Real gx = rho * push.x, gy = rho * push.y;
    const Real work = Real(3) * (ux * gx + uy * gy);
    const Real p0 = -rest * work;
    const Real p1 = axis * std::fma(Real(9) * ux, gx, -work), p2 = axis * std::fma(Real(9) * uy, gy, -work);
    const Real p3 = diagonal * std::fma(Real(9) * sum, gx + gy, -work);
    const Real p4 = diagonal * std::fma(Real(9) * difference, gx - gy, -work);
    const Real g1 = axis * Real(3) * gx, g2 = axis * Real(3) * gy;
    const Real g3 = diagonal * Real(3) * (gx + gy), g4 = diagonal * Real(3) * (gx - gy);
    n0 = std::fma(Real(0.5), p0, n0), t0 = t0 + p0;
    n1 = std::fma(Real(0.5), p1, n1), t1 = t1 + p1;
    n2 = std::fma(Real(0.5), p2, n2), t2 = t2 + p2;
    n3 = std::fma(Real(0.5), p3, n3), t3 = t3 + p3;
    n4 = std::fma(Real(0.5), p4, n4), t4 = t4 + p4;
    m1 = std::fma(Real(0.5), g1, m1), o1 = o1 + g1;
    m2 = std::fma(Real(0.5), g2, m2), o2 = o2 + g2;
    m3 = std::fma(Real(0.5), g3, m3), o3 = o3 + g3;
    m4 = std::fma(Real(0.5), g4, m4), o4 = o4 + g4;
  }

  if constexpr (model == LbmModel::mrt) {
    // Mass is conserved, n0 = -(n1 + n2 + n3 + n4), so the moments of Lallemand and Luo are
    //   e = 3 A + 6 C,  eps = -6 A - 3 C,  p_xx = n1 - n2,  p_xy = n3 - n4  with A = n1 + n2, C = n3 + n4.
    const Real axes = n1 + n2, diagonals = n3 + n4;
    const Real e = p.energy * std::fma(Real(6), diagonals, Real(3) * axes);
    const Real eps = p.energy_square * std::fma(Real(-6), axes, Real(-3) * diagonals);
    const Real on_axes = std::fma(Real(-1) / Real(9), eps, Real(-1) / Real(18) * e);
    const Real on_diagonals = std::fma(Real(1) / Real(18), eps, Real(1) / Real(9) * e);
    const Real xx = Real(0.5) * rates.even * (n1 - n2), xy = Real(0.5) * rates.even * (n3 - n4);
    t0 = std::fma(Real(2), on_axes + on_diagonals, t0);
    t1 = t1 - (on_axes + xx);
    t2 = t2 - (on_axes - xx);
    t3 = t3 - (on_diagonals + xy);
    t4 = t4 - (on_diagonals - xy);
  } else {
    t0 = std::fma(-rates.even, n0, t0);
    t1 = std::fma(-rates.even, n1, t1);
    t2 = std::fma(-rates.even, n2, t2);
    t3 = std::fma(-rates.even, n3, t3);
    t4 = std::fma(-rates.even, n4, t4);
  }
  o1 = std::fma(-rates.odd, m1, o1);
  o2 = std::fma(-rates.odd, m2, o2);
  o3 = std::fma(-rates.odd, m3, o3);
  o4 = std::fma(-rates.odd, m4, o4);

  q[0] = t0;
  q[1] = Real(0.5) * (t1 + o1);
  q[2] = Real(0.5) * (t1 - o1);
  q[3] = Real(0.5) * (t2 + o2);
  q[4] = Real(0.5) * (t2 - o2);
  q[5] = Real(0.5) * (t3 + o3);
  q[6] = Real(0.5) * (t3 - o3);
  q[7] = Real(0.5) * (t4 + o4);
  q[8] = Real(0.5) * (t4 - o4);
}

HD inline bool lbm_is_edge(std::int8_t kind) { return kind > 0 && (kind & lbm_edge) != 0; }

// The relaxation rates of a fluid cell.
template <class Real>
HD LbmRates<Real> lbm_rates_at(const LbmParams<Real>& p, std::int8_t kind, int x, int y) {
  if ((kind & lbm_layer) == 0) return p.rates;
  int column = 0;  // 1 to p.layer
  if (p.left == LbmSide::outlet && p.layer - x > column) column = p.layer - x;
  if (p.right == LbmSide::outlet && x + 1 + p.layer - p.nx > column) column = x + 1 + p.layer - p.nx;
  const int row = p.y0 + y;
  if (p.bottom == LbmSide::outlet && p.layer - row > column) column = p.layer - row;
  if (p.top == LbmSide::outlet && row + 1 + p.layer - p.whole_ny > column) column = row + 1 + p.layer - p.whole_ny;
  const Real share = static_cast<Real>(column) / static_cast<Real>(p.layer);
  const Real half_width = Real(3) * (p.viscosity + Real(0.1) * (share * share * share));  // tau - 1/2
  const Real even = Real(1) / (half_width + Real(0.5));
  if (p.model == LbmModel::mrt) return {even, p.rates.odd};
  return {even, p.magic > 0 ? Real(1) / (p.magic / half_width + Real(0.5)) : even};
}

template <class Real>
HD bool lbm_is_forced(const LbmParams<Real>& p) {
  return p.force_x != 0 || p.force_y != 0 || p.driven;
}

// Calls call.operator()<model, forced>() with those of the flow.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Real, class Call>
HD void lbm_with_model(const LbmParams<Real>& p, const Call& call) {
  const auto with = [&]<LbmModel model>() {
    lbm_is_forced(p) ? call.template operator()<model, true>() : call.template operator()<model, false>();
  };
  switch (p.model) {
    case LbmModel::two_rates: return with.template operator()<LbmModel::two_rates>();
    case LbmModel::mrt: return with.template operator()<LbmModel::mrt>();
    case LbmModel::central: return with.template operator()<LbmModel::central>();
    case LbmModel::central_eddies: return with.template operator()<LbmModel::central_eddies>();
  }
}

// lbm_collide with the model chosen at run time, so that the code around it, above all that of boundaries, is compiled
// once for all models. On a CPU it is a call: beside eight collisions in line, GCC inlines no more of the code around
// them.
template <class Real>
void lbm_collide_on_cpu(const LbmParams<Real>&, LbmRates<Real>, LbmPush<Real>, Real (&q)[9]);
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Real>
HD void lbm_collide_any(const LbmParams<Real>& p, LbmRates<Real> rates, LbmPush<Real> push, Real (&q)[9]) {
#ifdef __CUDA_ARCH__
  lbm_with_model(p, [&]<LbmModel model, bool forced>() { lbm_collide<model, forced>(p, rates, push, q); });
#else
  lbm_collide_on_cpu(p, rates, push, q);
#endif
}

// Pulls populations into a plain cell: no boundary in the stencil.
template <class Real, class Stored>
HD void lbm_pull_plain(const LbmParams<Real>& p, const Stored* from, std::size_t place, Real (&q)[9]) {
  const Stored* const f = from + place;
  q[0] = lbm_load(f + lbm_pull(p, 0, 0, 0));
  q[1] = lbm_load(f + lbm_pull(p, 1, 1, 0));
  q[2] = lbm_load(f + lbm_pull(p, 2, -1, 0));
  q[3] = lbm_load(f + lbm_pull(p, 3, 0, 1));
  q[4] = lbm_load(f + lbm_pull(p, 4, 0, -1));
  q[5] = lbm_load(f + lbm_pull(p, 5, 1, 1));
  q[6] = lbm_load(f + lbm_pull(p, 6, -1, -1));
  q[7] = lbm_load(f + lbm_pull(p, 7, 1, -1));
  q[8] = lbm_load(f + lbm_pull(p, 8, -1, 1));
}

template <class Real, class Stored>
HD void lbm_store_cell(const LbmParams<Real>& p, Stored* f, std::size_t place, const Real (&q)[9]) {
  for (int i = 0; i < 9; ++i) lbm_store(f + static_cast<std::size_t>(i) * p.plane + place, q[i]);
}

}  // namespace simreel
