#pragma once
// The characteristic outlet. In the local one-dimensional inviscid relations (LODI) the state at the outlet changes by
// waves that cross it: one of sound that leaves, L5, the vorticity that the flow carries out, L3, and one of sound that
// comes in, L1, which an ideal outlet sets to 0 and this one to what brings the density back to 1 slowly.

#include "kernels/lbm/cell.h"

namespace simreel {

// The relaxation rate of the density at the outlet, per step: 0.7 c_s / length (Poinsot and Lele take 0.25; the higher
// rate restores sooner what the start of a flow has compressed), but so small that sound is not reflected, and more
// than rounding.
template <class Real>
HD Real lbm_return_rate(const LbmParams<Real>& p, bool along_x) {
  const Real rate = Real(0.4) / static_cast<Real>(along_x ? p.nx : p.whole_ny);
  return rate > Real(0.001) ? Real(0.001) : rate < Real(1e-5) ? Real(1e-5) : rate;
}

// The sum of the parts out of equilibrium of two opposite populations; `unknown` is 1 if the second comes from beyond
// an outlet, -1 if the first does, and the other stands in for it.
template <class Real>
HD Real lbm_stress_of(Real first, Real second, int unknown) {
  return unknown > 0 ? Real(2) * first : unknown < 0 ? Real(2) * second : first + second;
}

// Replaces the populations that stream into a cell at an outlet, before they collide: equilibrium at the density and
// velocity that the waves leave, and of the rest its stress alone. `push` is the acceleration in this step. `here` is
// the state of the cell before the step, `inward` that of the next cell from the side; (out_x, out_y) is the outward
// normal.
template <class Real>
HD void lbm_let_out(const LbmParams<Real>& p, const LbmMacroscopic<Real>& here, const LbmMacroscopic<Real>& inward,
                    int out_x, int out_y, LbmPush<Real> push, Real (&q)[9]) {
  constexpr Real c = Real(0.577350269189625764509), third = Real(1) / Real(3), half = Real(0.5);
  const Real sign = static_cast<Real>(out_x + out_y);
  const Real normal = sign * (out_x != 0 ? here.ux : here.uy), tangential = out_x != 0 ? here.uy : here.ux;
  const Real rho = Real(1) + here.density;
  const Real steeper = normal - sign * (out_x != 0 ? inward.ux : inward.uy);
  const Real shear = tangential - (out_x != 0 ? inward.uy : inward.ux);
  const Real leaving = (normal + c) * (third * (here.density - inward.density) + rho * c * steeper);
  const Real arriving = lbm_return_rate(p, out_x != 0) * third * here.density;
  const Real carried = normal > 0 ? normal * shear : Real(0);
  const Real density = here.density - Real(1.5) * (leaving + arriving);
  const Real outward = sign * (normal - (leaving - arriving) / (Real(2) * rho * c)), along = tangential - carried;
  // Before collision the momentum lacks half of a step's force.
  const Real u = (out_x != 0 ? outward : along) - half * push.x;
  const Real v = (out_x != 0 ? along : outward) - half * push.y;

  constexpr Real axis = Real(1) / Real(9), diagonal = Real(1) / Real(36), rest = Real(4) / Real(9);
  const Real heavy = Real(1) + density, sum = u + v, difference = u - v;
  const Real base = density - Real(1.5) * heavy * (u * u + v * v), square = Real(4.5) * heavy;
  const Real e1 = axis * (base + square * (u * u)), e2 = axis * (base + square * (v * v));
  const Real e3 = diagonal * (base + square * (sum * sum)), e4 = diagonal * (base + square * (difference * difference));
  const Real o1 = axis * Real(3) * (heavy * u), o2 = axis * Real(3) * (heavy * v);
  const Real o3 = diagonal * Real(3) * (heavy * sum), o4 = diagonal * Real(3) * (heavy * difference);

  const Real n1 = lbm_stress_of(q[1] - (e1 + o1), q[2] - (e1 - o1), out_x),
             n2 = lbm_stress_of(q[3] - (e2 + o2), q[4] - (e2 - o2), out_y);
  const Real n3 = lbm_stress_of(q[5] - (e3 + o3), q[6] - (e3 - o3), out_x + out_y);
  const Real n4 = lbm_stress_of(q[7] - (e4 + o4), q[8] - (e4 - o4), out_x - out_y);
  const Real xx = n1 + (n3 + n4), yy = n2 + (n3 + n4), xy = n3 - n4, trace = xx + yy;

  const Real on_x = half * (Real(2) * third * xx - third * yy), on_y = half * (Real(2) * third * yy - third * xx);
  const Real on_3 = Real(0.125) * (Real(2) * third * trace + Real(2) * xy);
  const Real on_4 = Real(0.125) * (Real(2) * third * trace - Real(2) * xy);
  q[0] = rest * base - Real(2) * third * trace;
  q[1] = (e1 + on_x) + o1;
  q[2] = (e1 + on_x) - o1;
  q[3] = (e2 + on_y) + o2;
  q[4] = (e2 + on_y) - o2;
  q[5] = (e3 + on_3) + o3;
  q[6] = (e3 + on_3) - o3;
  q[7] = (e4 + on_4) + o4;
  q[8] = (e4 + on_4) - o4;
}

}  // namespace simreel
