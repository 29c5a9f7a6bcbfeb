#pragma once
// The collision of `central`: relaxation of central moments, those of e_i - u (Geier, Greiner, Korvink 2006, Phys. Rev.
// E 73, 066705; De Rosis 2016, EPL 116, 44003). All moments of second and higher order but the shear stress go to
// equilibrium at once, the trace of the stress too; the price is a bulk viscosity of 1/6, which damps sound. There is
// no parameter, and it stays finite at any viscosity that float resolves. The body force acts on all moments (Premnath,
// Banerjee 2009, Phys. Rev. E 80, 036702).

#include <cmath>

#include "kernels/base/launch.h"
#include "kernels/lbm/lbm.h"

namespace simreel {

// The velocity along an axis, at most the limit. NaN stays NaN, so that a flow that is no number shows.
template <class Real>
HD Real lbm_limited(Real u) {
  constexpr Real limit = static_cast<Real>(lbm_speed_limit);
  return u < -limit ? -limit : u > limit ? limit : u;
}

// Collides the populations of one cell; `omega` is the rate of the shear stress. No fused operation mixes x and y but
// where exchanging them gives the same operation, so a mirrored or turned flow stays so to the bit. Always inlined, so
// that the loop over cells is vectorised.
template <bool forced, bool eddies, class Real>
[[gnu::always_inline]] HD inline void lbm_collide_central([[maybe_unused]] const LbmParams<Real>& p, Real omega,
                                                          [[maybe_unused]] LbmPush<Real> push, Real (&q)[9]) {
  constexpr Real third = Real(1) / Real(3), ninth = Real(1) / Real(9), half = Real(0.5), quarter = Real(0.25);
  const Real s1 = q[1] + q[2], s2 = q[3] + q[4], s3 = q[5] + q[6], s4 = q[7] + q[8];
  const Real d1 = q[1] - q[2], d2 = q[3] - q[4], d3 = q[5] - q[6], d4 = q[7] - q[8];
  const Real diagonals = s3 + s4, excess = q[0] + ((s1 + s2) + diagonals);
  const Real rho = Real(1) + excess, inverse = Real(1) / rho;
  const Real jx = d1 + (d3 + d4), jy = d2 + (d3 - d4);  // momentum before the force
  Real ux = jx * inverse, uy = jy * inverse;
  if constexpr (forced) {
    ux = ux + half * push.x;
    uy = uy + half * push.y;
  }
  const Real u = lbm_limited(ux), v = lbm_limited(uy);
  const Real uu = u * u, vv = v * v, uv = u * v, ruv = rho * uv;

  // Non-equilibrium parts of the difference of the normal stresses and of the shear stress.
  Real normal = std::fma(-rho, uu - vv, s1 - s2), shear = (s3 - s4) - ruv;
  [[maybe_unused]] Real gx = 0, gy = 0, work_x = 0, work_y = 0, cross = 0;
  if constexpr (forced) {
    gx = rho * push.x, gy = rho * push.y;
    work_x = u * gx, work_y = v * gy, cross = half * (u * gy + v * gx);
    normal = normal + (work_x - work_y);
    shear = shear + cross;
  }
  if constexpr (eddies) {
    // tau' = (tau + sqrt(tau^2 + 18 C^2 |stress| / rho)) / 2 (Hou et al. 1996, Fields Inst. Comm. 6, 151).
    const Real tau = Real(1) / omega, stress = std::sqrt(normal * normal + Real(4) * (shear * shear));
    omega = Real(2) / (tau + std::sqrt(tau * tau + p.eddies * stress * inverse));
  }
  const Real keep = Real(1) - omega, n = half * keep * normal, s = keep * shear, twice = Real(2) * s;

  // Moments after collision, m_ab of e_x^a e_y^b; `full`: of f instead of f - w.
  Real m20 = std::fma(rho, uu, third * excess) + n, m02 = std::fma(rho, vv, third * excess) - n, m11 = s + ruv;
  const Real full20 = m20 + third, full02 = m02 + third;
  Real m21 = std::fma(v, full20, u * twice), m12 = std::fma(u, full02, v * twice);
  Real m22 = (uu * full02 + vv * full20) + std::fma(uv, Real(2) * twice - ruv, ninth * excess);
  Real m10 = std::fma(rho, u - ux, jx), m01 = std::fma(rho, v - uy, jy);
  if constexpr (forced) {
    constexpr Real sixth = Real(1) / Real(6);
    m10 = m10 + gx;
    m01 = m01 + gy;
    m20 = m20 + work_x;
    m02 = m02 + work_y;
    m11 = m11 + cross;
    m21 = m21 + std::fma(gy, std::fma(half, uu, sixth), uv * gx);
    m12 = m12 + std::fma(gx, std::fma(half, vv, sixth), uv * gy);
    m22 = m22 + (work_x * (vv + third) + work_y * (uu + third));
  }

  q[0] = (excess - (m20 + m02)) + m22;
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
}

}  // namespace simreel
